import {
  inTransaction,
  lockLineCaps,
  listLinesInUse,
  lockAdvances,
  releaseLines,
  updateOrganization,
} from '@outdial/db';
import { dialDue } from '@outdial/engine';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { linesInUse, recipientStates } from '../../support/stack/campaign-watch.ts';
import type { Stack } from '../../support/stack/start-stack.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { overlapping } from './by-hand.ts';
import { dialDeps, dialNow, phoneNumbers, runCampaign } from './campaign.ts';

const now = new Date();

interface Lines<Count> {
  organization: Count;
  provider: Count;
}

async function counted(stack: Stack): Promise<Lines<number> | undefined> {
  const { rows } = await sql<Lines<number>>`
    select o.lines_in_use as organization, p.lines_in_use as provider
    from organizations o cross join providers p where p.name = 'simulator'`.execute(stack.db);
  return rows[0];
}

/** The paces of campaigns and providers, and the transactions that last wrote the rows of organizations and providers. */
async function written(stack: Stack): Promise<unknown[]> {
  const { rows } = await sql`
    select xmin::text as writer, null as pace from organizations union all select xmin::text, pace from providers
    union all select null, pace from campaign_runtime where pace is not null`.execute(stack.db);
  return rows;
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
  return { organization, campaign };
}

async function setCaps(stack: Stack, { id }: { id: string }, caps: Lines<number | null>): Promise<void> {
  await updateOrganization(stack.db, id, { max_lines: caps.organization }, now);
  await stack.setProvider('simulator', { maxLines: caps.provider });
}

const talkMs = 600_000;
const uncapped = { organization: null, provider: null };
const someCaps: ReadonlyArray<Lines<number | null>> = [
  { organization: 2, provider: 2 },
  { organization: 2, provider: null },
  { organization: null, provider: 2 },
];

describe('lines of an organization and of a provider', () => {
  test('are not counted without a cap or a pace: a whole campaign and a direct call write neither row', async () => {
    const stack = await useStack({ backend: 'postgres' });
    const organization = await stack.organization();
    const before = await written(stack);
    const campaign = await runCampaign(
      stack,
      organization,
      { phone_numbers: phoneNumbers(20) },
      { max_concurrent_calls: 4 },
    );
    await organization.clients.member.makeCall(organization.agentId, { to_phone: '+15559990000' });
    await campaign.finished();
    await waitFor('all to be over', async () => (await listLinesInUse(stack.db))[0]?.linesInUse === 0);
    expect(await written(stack)).toEqual(before);
  });

  test.each(someCaps)('are counted while there is a cap (%o)', async (caps) => {
    const stack = await useStack({ backend: 'postgres', simulator: { talkMs } });
    const { organization, campaign } = await twoInCalls(stack);
    const count = (lines: number) => ({
      organization: caps.organization === null ? 0 : lines,
      provider: caps.provider === null ? 0 : lines,
    });
    expect(await counted(stack)).toEqual({ organization: 0, provider: 0 });
    expect(await listLinesInUse(stack.db)).toMatchObject([{ provider: 'simulator', linesInUse: 2 }]);
    await setCaps(stack, organization, caps);
    expect(await counted(stack)).toEqual(count(2));
    // Lines that are already counted are not counted again when the cap changes.
    await setCaps(stack, organization, {
      organization: caps.organization && 9,
      provider: caps.provider && 9,
    });
    expect(await counted(stack)).toEqual(count(2));
    await stack.clock.advance(talkMs + 60_000);
    await campaign.dialed(4);
    expect(await counted(stack)).toEqual(count(2));
    await stack.clock.advance(talkMs + 60_000);
    await campaign.dialed(5);
    await expect.poll(() => counted(stack)).toEqual(count(1));
    await setCaps(stack, organization, uncapped);
    expect(await counted(stack)).toEqual({ organization: 0, provider: 0 });
    await stack.clock.advance(talkMs + 60_000);
    await campaign.finished();
    expect(await linesInUse(stack.db)).toBe(0);
  });
});

describe('rows that are shared', () => {
  test.each(someCaps)(
    'are taken after those of campaigns when lines come back, without a deadlock (%o)',
    async (caps) => {
      // Sweeps lock these rows too, and wake the campaign, which takes the line again.
      const stack = await useStack({ backend: 'postgres', schedulers: 0, simulator: { talkMs } });
      const { organization, campaign } = await twoInCalls(stack);
      await setCaps(stack, organization, caps);
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
    },
  );

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
  // The chaos scenario `capSetMidway` shows the same of a provider.
  test('for an organization waits for a dial in progress, and counts it', async () => {
    const stack = await useStack({ backend: 'postgres', workers: 0, schedulers: 0 });
    const organization = await stack.organization();
    const campaign = await runCampaign(stack, organization, { phone_numbers: phoneNumbers(3) });
    // The first dial saves the grounds of the gate.
    await dialNow(stack, campaign.id, 1);
    await overlapping(
      stack.db,
      (tx) => dialDue(tx, dialDeps(stack), [campaign.id], () => 3),
      () => updateOrganization(stack.db, organization.id, { max_lines: 2 }, now),
    );
    expect(await counted(stack)).toEqual({ organization: 3, provider: 0 });
  });

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
