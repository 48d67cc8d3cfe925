import {
  addToScrubList,
  engineNow,
  forgetScrubbedNumbers,
  inTransaction,
  setPersonCaps,
  updateOrganization,
  type ScrubPart,
} from '@outdial/db';
import { placeDirectCall } from '@outdial/engine';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { engineInStep } from '../../compliance/campaign/engine-in-step.ts';
import { anyBackend } from '../../support/queues.ts';
import { untilAtRest } from '../../support/stack/campaign-watch.ts';
import { mondayMorning } from '../../support/stack/start-stack.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { overlapping } from '../engine/by-hand.ts';
import { phoneNumbers, runCampaign } from '../engine/campaign.ts';

const [free = '', listed = '', left = ''] = phoneNumbers(3);
const dayMs = 24 * 3_600_000;

async function world(options: { workers?: number; schedulers?: number } = {}) {
  const stack = await useStack({ backend: anyBackend(), ...options });
  const organization = await stack.organization();
  const { db } = stack;
  // All parts of a version have the same instant.
  const beganAt = (await engineNow(db)).getTime();
  const add = (name: string, daysAgo: number, numbers: string[], over: Partial<ScrubPart> = {}) =>
    inTransaction(db, (tx) =>
      addToScrubList(tx, {
        organizationId: organization.id,
        name,
        source: 'a registry',
        account: '10034221',
        scrubbedAt: new Date(beganAt - daysAgo * dayMs),
        phoneNumbers: numbers,
        isComplete: true,
        isChecked: false,
        ...over,
      }),
    );
  const at = (daysAgo: number) => new Date(beganAt - daysAgo * dayMs).toISOString();
  const dialed = async () => {
    const { rows } = await sql<{ phone_number: string }>`select phone_number from calls order by 1`.execute(
      db,
    );
    return rows.map((row) => row.phone_number);
  };
  return { stack, organization, db, add, at, dialed };
}

describe('a campaign that needs scrub lists', () => {
  test('does not dial numbers on one of them, gives the reason, and each call names the versions that were checked', async () => {
    const { stack, organization, db, add, at, dialed } = await world();
    await add('national', 3, [listed]);
    await add('state', 1, [left]);
    const campaign = await runCampaign(
      stack,
      organization,
      { phone_numbers: [free, listed, left] },
      { scrub_lists: ['national', 'state'] },
    );
    await campaign.finished();
    expect(await dialed()).toEqual([free]);
    const { rows } = await sql`
      select data ->> 'reason' as reason, count(*)::int as count from outbox
      where type = 'recipient.finished' group by 1 order by 1`.execute(db);
    expect(rows).toEqual([
      { reason: 'on_scrub_list', count: 2 },
      { reason: 'reached', count: 1 },
    ]);
    const call = await db.selectFrom('calls').select('id').executeTakeFirstOrThrow();
    const receipt = await organization.clients.manager.readReceipt(call.id);
    expect(receipt).toMatchObject({
      grounds: { campaign: { scrub_lists: ['national', 'state'] } },
      scrub_lists: [
        { name: 'state', scrubbed_at: at(1) },
        { name: 'national', scrubbed_at: at(3) },
      ],
    });
  });

  test('waits while one is older than 31 days or incomplete, drops no recipient, and continues with a newer version', async () => {
    const { stack, organization, db, add, dialed } = await world();
    await add('national', 31, []);
    await add('state', 1, [], { isComplete: false });
    const campaign = await runCampaign(
      stack,
      organization,
      { phone_numbers: [free] },
      { scrub_lists: ['national', 'state'] },
    );
    const waits = async () => {
      await untilAtRest(db, campaign.id);
      return (await organization.clients.manager.readDialing(campaign.id))?.waitingFor;
    };
    expect(await waits()).toBe('scrub_list');
    await add('national', 0, []);
    expect(await waits()).toBe('scrub_list');
    expect(await dialed()).toEqual([]);
    await add('state', 1, []);
    await campaign.finished();
    expect(await dialed()).toEqual([free]);
  });

  test('looks again if an import runs concurrently with the advance that finds the list too old', async () => {
    const { stack, organization, db, add } = await world({ workers: 0, schedulers: 0 });
    await add('national', 31, []);
    const fields = { phone_numbers: [free] };
    const { id } = await runCampaign(stack, organization, fields, { scrub_lists: ['national'] });
    await overlapping(
      db,
      // The state that an advance writes after it has read the old list.
      (tx) =>
        sql`update campaign_runtime set waiting_for = 'scrub_list', wake_at = engine_now() + interval '5 minutes'
          where campaign_id = ${id}`.execute(tx),
      () => add('national', 0, []),
    );
    const runtime = db.selectFrom('campaign_runtime').select('wake_at').where('campaign_id', '=', id);
    const { wake_at } = await runtime.executeTakeFirstOrThrow();
    expect(Number(wake_at)).toBeLessThanOrEqual((await engineNow(db)).getTime());
  });

  test('counts the numbers of a version at once, and those of the previous one until it is complete', async () => {
    const { stack, organization, db, add, dialed } = await world();
    await add('national', 9, [listed, left]);
    await add('national', 2, [listed], { isComplete: false });
    const run = async () => {
      const numbers = [free, listed, left];
      const campaign = await runCampaign(
        stack,
        organization,
        { phone_numbers: numbers },
        { scrub_lists: ['national'] },
      );
      await campaign.finished();
    };
    await run();
    expect(await dialed()).toEqual([free]);
    await add('national', 2, []);
    await run();
    expect(await dialed()).toEqual([free, free, left].toSorted());
    // The scheduler may have swept already.
    await forgetScrubbedNumbers(db, 100);
    const kept = await sql`select phone_number from scrub_list_numbers`.execute(db);
    expect(kept.rows).toEqual([{ phone_number: listed }]);
  });
});

test('an older version does not replace a newer one', async () => {
  const { add } = await world();
  await add('national', 2, [listed]);
  expect(await add('national', 3, [left])).toHaveProperty('newestAt');
});

test('a direct call under a policy asks the lists too: those of its place must be current, and it is on none', async () => {
  const { stack, organization, db, add, dialed } = await world();
  const { id: organizationId, agentId, clients } = organization;
  // From 20:00 to 24:00 UTC, every zone of the United States and Canada may be called.
  const hour = (await engineNow(db)).getUTCHours();
  await stack.clock.advance(((21 - hour + 24) % 24) * 3_600_000);
  const now = await engineNow(db);
  const noCaps = { calls: null, gap_seconds: null };
  await inTransaction(db, (tx) =>
    updateOrganization(tx, organizationId, { calling_policy: 'standard' }, now),
  );
  await setPersonCaps(db, { organizationId, change: noCaps, now });
  await add('national', 1, [listed], { jurisdiction: 'US' });
  await add('elsewhere', 40, [], { jurisdiction: 'DE' });
  const ended = async (to_phone: string) => {
    const { id } = await clients.member.makeCall(agentId, { to_phone });
    if (id === null) throw new Error('no call');
    await waitFor('the call to end', async () => {
      const row = await db.selectFrom('calls').select('phase').where('id', '=', id).executeTakeFirst();
      return row?.phase === 'ended';
    });
    return clients.manager.readReceipt(id);
  };
  expect(await ended(free)).toMatchObject({ decision: 'dialed', scrub_lists: [{ name: 'national' }] });
  expect(await ended(listed)).toMatchObject({ decision: 'not_dialed', refused_by: 'on_scrub_list' });
  expect(await dialed()).toEqual([free, listed]);
  const { rows } = await sql`select phone_number from calls where gated_at is not null`.execute(db);
  expect(rows).toEqual([{ phone_number: free }]);
});

test.each([
  ['Puerto Rico', '+17872345678', 'US', 21],
  ['Réunion', '+262262123456', 'FR', 11],
  ['Jersey', '+441534123456', 'GB', 11],
])(
  'a direct call to %s asks the lists of the country whose law is used there',
  async (_, to_phone, jurisdiction, hour) => {
    const { stack, organization, db, add } = await world({ workers: 0, schedulers: 0 });
    const { id: organizationId, agentId, clients } = organization;
    const now = new Date(new Date(mondayMorning).setUTCHours(hour));
    await stack.clock.set(now);
    await inTransaction(db, (tx) =>
      updateOrganization(tx, organizationId, { calling_policy: 'standard' }, now),
    );
    await add('national', 60, [], { jurisdiction });
    const { id } = await clients.member.makeCall(agentId, { to_phone });
    expect(await placeDirectCall(engineInStep(stack).deps, id ?? '')).toEqual({
      kind: 'waiting',
      reason: 'scrub_outdated',
    });
  },
);
