import { inTransaction, readQueuePlace } from '@outdial/db';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { TestOrganization } from '../../support/stack/organization.ts';
import type { Stack } from '../../support/stack/start-stack.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { claimDue, phoneNumbers, runCampaign } from './campaign.ts';

/** How often a campaign that waits for its next slot looks for one. */
const turnMs = 150;
const turns = 30;

/** Without a worker: the test lets each campaign claim, at instants of its choice. */
async function twoOrganizations(callsPerSecond: number | null) {
  const stack = await useStack({ backend: 'postgres', workers: 0, schedulers: 0 });
  await stack.setProvider('simulator', { callsPerSecond });
  await stack.clock.advance(1_000);
  const run = (organization: TestOrganization, count: number, callsPerSecondOfOwn: number | null = null) =>
    Promise.all(
      ['201', '202', '203', '205', '206', '207', '208', '209']
        .slice(0, count)
        .map((areaCode) =>
          runCampaign(
            stack,
            organization,
            { phone_numbers: phoneNumbers(60, '00', areaCode) },
            { max_concurrent_calls: 200, priority: 1_000_000, calls_per_second: callsPerSecondOfOwn },
          ),
        ),
    );
  const claimedOf = async ({ id }: TestOrganization) => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from campaign_recipients where organization_id = ${id} and state = 'claimed'`.execute(
      stack.db,
    );
    return rows[0]?.count ?? 0;
  };
  return { stack, run, claimedOf, greedy: await stack.organization(), modest: await stack.organization() };
}

/** The order is the same in every round, and the clock is set to the same instant for all, so a slow machine has no influence. */
async function claimInTurns(stack: Stack, campaigns: ReadonlyArray<{ id: string }>): Promise<void> {
  const beginsMs = (await stack.clock.now()).getTime();
  for (let turn = 0; turn < turns; turn++) {
    for (const { id } of campaigns) {
      await stack.clock.set(new Date(beginsMs + turn * turnMs));
      await claimDue(stack, id);
    }
  }
}

test.each([
  ['a provider', { ofProvider: 12, ofCampaign: null }],
  ['a campaign', { ofProvider: null, ofCampaign: 12 }],
])('at least nine tenths of the calls per second of %s are used', async (_of, paces) => {
  const { stack, run, claimedOf, greedy } = await twoOrganizations(paces.ofProvider);
  await claimInTurns(stack, await run(greedy, 1, paces.ofCampaign));
  expect(await claimedOf(greedy)).toBeGreaterThanOrEqual(0.9 * 12 * ((turns * turnMs) / 1_000));
});

test("organizations share a provider's calls per second equally, regardless of their numbers of campaigns", async () => {
  const { stack, run, claimedOf, greedy, modest } = await twoOrganizations(20);
  const campaigns = [...(await run(greedy, 8)), ...(await run(modest, 1))];
  await claimInTurns(stack, campaigns);
  const theirs = await claimedOf(modest);
  const all = theirs + (await claimedOf(greedy));
  // 4.5 seconds at 19.1 per second, the rate of a lane with separate slots.
  expect(all).toBeGreaterThan(75);
  expect(theirs / all).toBeGreaterThanOrEqual(0.9 * 0.5);
});

test('slots that an organization cannot use go to others', async () => {
  const { stack, run, claimedOf, greedy, modest } = await twoOrganizations(20);
  const campaigns = [...(await run(greedy, 2)), ...(await run(modest, 1, 1))];
  await claimInTurns(stack, campaigns);
  expect(await claimedOf(modest)).toBeGreaterThanOrEqual(4);
  expect(await claimedOf(greedy)).toBeGreaterThan(65);
});

test('nothing is written for a provider without a pace', async () => {
  const { stack, run, claimedOf, greedy, modest } = await twoOrganizations(null);
  for (const { id } of [...(await run(greedy, 1)), ...(await run(modest, 1))]) await claimDue(stack, id);
  expect([await claimedOf(greedy), await claimedOf(modest)]).toEqual([60, 60]);
  expect(await sql`select from slot_accounts`.execute(stack.db)).toMatchObject({ rows: [] });
});

test('direct calls wait for their turn before they lock the provider’s row', async () => {
  const { stack, greedy } = await twoOrganizations(10);
  for (const to_phone of phoneNumbers(20)) {
    await greedy.clients.manager.makeCall(greedy.agentId, { to_phone });
  }
  const calls = await stack.db
    .selectFrom('calls')
    .select(['id', 'organization_id', 'provider', 'created_at'])
    .orderBy('created_at')
    .execute();
  const aheadMs = await inTransaction(stack.db, (tx) =>
    Promise.all(
      calls.map(async ({ id, organization_id: organizationId, provider, created_at: now }) => {
        const place = await readQueuePlace(tx, { id, organizationId, provider, now });
        expect(place.turnInMs).toBe(place.aheadMs);
        return place.aheadMs;
      }),
    ),
  );
  expect(aheadMs).toEqual(calls.map((_, ahead) => ahead * 100));
});
