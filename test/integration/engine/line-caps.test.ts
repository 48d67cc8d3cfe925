import {
  inTransaction,
  lockLineCaps,
  listLinesInUse,
  lockAdvances,
  releaseLines,
  updateOrganization,
} from '@outdial/db';
import { dialDue, inGate } from '@outdial/engine';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { linesInUse, recipientStates } from '../../support/stack/campaign-watch.ts';
import type { Stack } from '../../support/stack/start-stack.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { dialNow, phoneNumbers, runCampaign } from './campaign.ts';

const now = new Date();
const silent = { callPlaced: () => undefined, callEnded: () => undefined, gateRefused: () => undefined };

interface Counted {
  organization: number;
  provider: number;
}

async function counted(stack: Stack): Promise<Counted> {
  const { rows } = await sql<Counted>`
    select o.lines_in_use as organization, p.lines_in_use as provider
    from organizations o cross join providers p where p.name = 'simulator'`.execute(stack.db);
  if (!rows[0]) throw new Error('no row');
  return rows[0];
}

/** The transactions that last wrote the rows of organizations and providers. */
async function writers(stack: Stack): Promise<unknown[]> {
  const { rows } = await sql<{ writer: string }>`
    select xmin::text as writer from organizations union all select xmin::text from providers`.execute(
    stack.db,
  );
  return rows.map((row) => row.writer);
}

/** A campaign with two of five people in calls that last as long as the test needs. */
async function twoInCalls(stack: Stack) {
  const organization = await stack.organization();
  const campaign = await runCampaign(
    stack,
    organization,
    { phone_numbers: phoneNumbers(5) },
    { max_concurrent_calls: 2 },
  );
  await campaign.dialed(2);
  const capOrganization = (maxLines: number | null) =>
    updateOrganization(stack.db, organization.id, { max_lines: maxLines }, now);
  const capProvider = (maxLines: number | null) => stack.setProvider('simulator', { maxLines });
  return { organization, campaign, capOrganization, capProvider };
}

const talkMs = 600_000;

describe('lines of an organization and of a provider', () => {
  test('are not counted without a cap: a whole campaign writes neither row', async () => {
    const stack = await useStack({ backend: 'postgres' });
    const organization = await stack.organization();
    const before = await writers(stack);
    const campaign = await runCampaign(
      stack,
      organization,
      { phone_numbers: phoneNumbers(20) },
      { max_concurrent_calls: 4 },
    );
    await organization.clients.member.makeCall(organization.agentId, { to_phone: '+15559990000' });
    await campaign.finished();
    await waitFor('all to be over', async () => (await listLinesInUse(stack.db))[0]?.linesInUse === 0);
    expect(await writers(stack)).toEqual(before);
  });

  test('are counted when a cap is set, and released when the calls end', async () => {
    const stack = await useStack({ backend: 'postgres', simulator: { talkMs } });
    const { campaign, capOrganization, capProvider } = await twoInCalls(stack);
    expect(await counted(stack)).toEqual({ organization: 0, provider: 0 });
    expect(await listLinesInUse(stack.db)).toMatchObject([{ provider: 'simulator', linesInUse: 2 }]);
    await capOrganization(3);
    await capProvider(1);
    expect(await counted(stack)).toEqual({ organization: 2, provider: 2 });
    // Lines that are already counted are not counted again when the cap changes.
    await capProvider(2);
    await capOrganization(2);
    expect(await counted(stack)).toEqual({ organization: 2, provider: 2 });
    await stack.clock.advance(talkMs + 60_000);
    await campaign.dialed(4);
    expect(await counted(stack)).toEqual({ organization: 2, provider: 2 });
    await stack.clock.advance(talkMs + 60_000);
    await campaign.dialed(5);
    await stack.clock.advance(talkMs + 60_000);
    await campaign.finished();
    expect(await linesInUse(stack.db)).toBe(0);
  });

  test.each(['organization', 'provider'] as const)(
    'are counted for one if the other has no cap (%s)',
    async (level) => {
      const stack = await useStack({ backend: 'postgres', simulator: { talkMs } });
      const { campaign, capOrganization, capProvider } = await twoInCalls(stack);
      await (level === 'organization' ? capOrganization : capProvider)(2);
      const expected = { organization: 0, provider: 0, [level]: 2 };
      expect(await counted(stack)).toEqual(expected);
      await stack.clock.advance(talkMs + 60_000);
      await campaign.dialed(4);
      expect(await counted(stack)).toEqual(expected);
      for (const until of [() => campaign.dialed(5), () => campaign.finished()]) {
        await stack.clock.advance(talkMs + 60_000);
        await until();
      }
      expect(await linesInUse(stack.db)).toBe(0);
    },
  );

  test('are cleared when the cap is removed, and the calls end as usual', async () => {
    const stack = await useStack({ backend: 'postgres', simulator: { talkMs } });
    const { campaign, capOrganization, capProvider } = await twoInCalls(stack);
    await capOrganization(9);
    await capProvider(9);
    await capOrganization(null);
    await capProvider(null);
    expect(await counted(stack)).toEqual({ organization: 0, provider: 0 });
    for (const dialed of [4, 5]) {
      await stack.clock.advance(talkMs + 60_000);
      await campaign.dialed(dialed);
    }
    await stack.clock.advance(talkMs + 60_000);
    await campaign.finished();
    expect(await counted(stack)).toEqual({ organization: 0, provider: 0 });
  });
});

describe('rows that are shared', () => {
  test.each([
    { organization: 2, provider: null },
    { organization: null, provider: 2 },
    { organization: 2, provider: 2 },
  ])('are taken after those of campaigns when lines come back, without a deadlock (%o)', async (caps) => {
    // Sweeps lock these rows too, and wake the campaign, which takes the line again.
    const stack = await useStack({ backend: 'postgres', schedulers: 0, simulator: { talkMs } });
    const { organization, campaign, capOrganization, capProvider } = await twoInCalls(stack);
    await capOrganization(caps.organization);
    await capProvider(caps.provider);
    const advancing = await stack.db.startTransaction().execute();
    await lockAdvances(advancing, [campaign.id]);
    const line = {
      organizationId: organization.id,
      campaignId: campaign.id,
      provider: 'simulator',
      count: 1,
    };
    const release = inTransaction(stack.db, (tx) => releaseLines(tx, [line], now));
    await waitFor('the line to wait for its campaign', async () => {
      const { rows } = await sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
        stack.db,
      );
      return rows.length > 0;
    });
    await sql`select from organizations for no key update nowait`.execute(advancing);
    await sql`select from providers for no key update nowait`.execute(advancing);
    await advancing.commit().execute();
    await release;
    const left = (cap: number | null) => (cap === null ? 0 : 1);
    expect(await counted(stack)).toEqual({
      organization: left(caps.organization),
      provider: left(caps.provider),
    });
  });

  test.each([
    { capped: 'organization', free: 'providers' },
    { capped: 'provider', free: 'organizations' },
  ] as const)('are not waited for without a cap (cap of the $capped)', async ({ capped, free }) => {
    const stack = await useStack({ backend: 'postgres', workers: 0, schedulers: 0 });
    const organization = await stack.organization();
    const campaign = await runCampaign(stack, organization, { phone_numbers: phoneNumbers(3) });
    if (capped === 'organization') await updateOrganization(stack.db, organization.id, { max_lines: 2 }, now);
    else await stack.setProvider('simulator', { maxLines: 2 });
    const holder = await stack.db.startTransaction().execute();
    await sql`select from ${sql.table(free)} for no key update`.execute(holder);
    await dialNow(stack, campaign.id);
    await holder.rollback().execute();
    expect(await recipientStates(stack.db, campaign.id)).toEqual({ dialing: 2, pending: 1 });
  });
});

describe('a cap that is set', () => {
  const untilSomebodyWaits = (stack: Stack) =>
    waitFor('somebody to wait for the caps', async () => {
      const { rows } = await sql`
        select from pg_locks where locktype = 'advisory' and not granted
        and database = (select oid from pg_database where datname = current_database())`.execute(stack.db);
      return rows.length > 0;
    });

  test.each(['organization', 'provider'] as const)(
    'waits for a dial in progress, and counts it (%s)',
    async (level) => {
      const stack = await useStack({ backend: 'postgres', workers: 0, schedulers: 0 });
      const organization = await stack.organization();
      const campaign = await runCampaign(stack, organization, { phone_numbers: phoneNumbers(3) });
      const [dialed, mayCommit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const dialing = inGate(stack.db, async (tx) => {
        await dialDue(tx, { ...stack.control, metrics: silent }, [campaign.id], () => 3);
        dialed.resolve();
        await mayCommit.promise;
      });
      await Promise.race([dialed.promise, dialing]);
      const set =
        level === 'organization'
          ? updateOrganization(stack.db, organization.id, { max_lines: 2 }, now)
          : stack.setProvider('simulator', { maxLines: 2 });
      await untilSomebodyWaits(stack);
      mayCommit.resolve();
      await dialing;
      await set;
      expect((await counted(stack))[level]).toBe(3);
    },
  );

  test('does not wait forever for overlapping dials', async () => {
    const stack = await useStack({ backend: 'postgres', workers: 0, schedulers: 0 });
    let isSet = false;
    const advances = Array.from({ length: 2 }, async (_, n) => {
      await sql`select pg_sleep(${n * 0.02})`.execute(stack.db);
      while (!isSet) {
        await inTransaction(stack.db, async (tx) => {
          await lockLineCaps(tx);
          await sql`select pg_sleep(0.04)`.execute(tx);
        });
      }
    });
    await stack.setProvider('simulator', { maxLines: 2 });
    isSet = true;
    await Promise.all(advances);
    expect(await sql`select max_lines from providers`.execute(stack.db)).toMatchObject({
      rows: [{ max_lines: 2 }],
    });
  });
});
