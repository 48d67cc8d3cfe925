import { addSuppressions, findCampaignProgress, foldCampaignCounts, proveCampaignCounts } from '@outdial/db';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Stack } from '../../support/stack/start-stack.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { campaignByHand } from './by-hand.ts';
import { finishedWithoutScheduler, phoneNumbers, runCampaign } from './campaign.ts';

interface Key {
  organizationId: string;
  campaignId: string;
}

/** The counts of a campaign from its rows and from its progress, read in one snapshot. */
async function bothCounts(stack: Stack, key: Key) {
  return stack.db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (tx) => {
      const { rows } = await sql<{ total: number; dials: number; in_call: number; ended: number }>`
        select count(*)::int as total, sum(attempts)::int as dials,
          count(*) filter (where state = 'dialing')::int as in_call,
          count(*) filter (where state in ('done', 'suppressed', 'withdrawn'))::int as ended
        from campaign_recipients where campaign_id = ${key.campaignId}`.execute(tx);
      const progress = await findCampaignProgress(tx, key);
      if (progress === null) throw new Error('no progress');
      const { total, waiting, retrying, in_call, reached, unreached, suppressed, withdrawn } =
        progress.recipients;
      const told = {
        total,
        dials: progress.dials,
        in_call,
        ended: reached + unreached + suppressed + withdrawn,
      };
      const sum = waiting + retrying + in_call + reached + unreached + suppressed + withdrawn;
      return { told, sum, are: rows[0], progress };
    });
}

test('progress agrees with the recipients at every instant, while their counts are folded', async () => {
  const stack = await useStack({ backend: 'postgres', workers: 2, simulator: { ringMs: 5, talkMs: 20 } });
  const organization = await stack.organization();
  const numbers = [
    ...phoneNumbers(60),
    ...phoneNumbers(20, '91', '556'),
    ...phoneNumbers(20, '97', '557'),
    ...phoneNumbers(10, '96', '558'),
    ...phoneNumbers(10, '93', '559'),
  ];
  const suppressed = numbers.slice(0, 5);
  await addSuppressions(stack.db, {
    organizationId: organization.id,
    suppressions: suppressed.map((phoneNumber) => ({ phoneNumber, reason: null })),
  });
  const { id: campaignId } = await runCampaign(
    stack,
    organization,
    { phone_numbers: numbers },
    { call_back_attempts: 1, retry_delay_seconds: 0, max_concurrent_calls: 15 },
  );
  const key = { organizationId: organization.id, campaignId };
  let firstSeenAt: Date | undefined;
  const last = await waitFor('the campaign to finish', async () => {
    const { told, sum, are, progress } = await bothCounts(stack, key);
    if (progress.dials > 0) firstSeenAt ??= await stack.clock.now();
    expect(told).toEqual(are);
    expect(sum).toBe(numbers.length);
    await foldCampaignCounts(stack.db, 7);
    return progress.status === 'finished' && progress;
  });
  expect(last.recipients).toEqual({
    total: 120,
    waiting: 0,
    retrying: 0,
    in_call: 0,
    reached: 75,
    unreached: 40,
    suppressed: 5,
    withdrawn: 0,
  });
  expect(last.outcomes).toEqual({ completed: 75, busy: 20, invalid_number: 10, rejected: 10 });
  expect(last.dials).toBe(55 + 2 * 20 + 2 * 20 + 10 + 10);
  const { rows } = await sql<{ first: Date; last: Date }>`
    select min(gated_at) as first, max(gated_at) as last from calls`.execute(stack.db);
  const isBetween = (at: Date | null, from: Date | undefined, to: Date | undefined) =>
    at !== null && from !== undefined && to !== undefined && from <= at && at <= to;
  expect(isBetween(last.first_dial_at, rows[0]?.first, firstSeenAt)).toBe(true);
  expect(isBetween(last.last_dial_at, rows[0]?.last, await stack.clock.now())).toBe(true);
});

test('an attempt that is undone is neither the first nor the last dial', async () => {
  const [first = '', second = ''] = phoneNumbers(2);
  const hand = await campaignByHand({}, { phone_numbers: [first, second] });
  const { stack, campaignId } = hand;
  const { organization_id: organizationId } = await hand.recipient();
  const dials = async () => {
    const progress = await findCampaignProgress(stack.db, { organizationId, campaignId });
    return [progress?.dials, progress?.first_dial_at, progress?.last_dial_at];
  };
  await hand.undo(await hand.dial());
  expect(await dials()).toEqual([0, null, null]);
  const callId = await hand.dial(second);
  const [, , lastAt] = await dials();
  await stack.clock.advance(60_000);
  await hand.undo(await hand.dial(first));
  const { gated_at: gatedAt } = await stack.db
    .selectFrom('calls')
    .select('gated_at')
    .where('id', '=', callId)
    .executeTakeFirstOrThrow();
  expect(lastAt).toEqual(gatedAt);
  expect(await dials()).toEqual([1, expect.any(Date), gatedAt]);
});

test('wrong counts are corrected, once, and only those', async () => {
  const stack = await useStack({ backend: 'postgres', schedulers: 0 });
  const organization = await stack.organization();
  const campaign = await runCampaign(stack, organization, { phone_numbers: phoneNumbers(9) });
  await finishedWithoutScheduler(stack, campaign);
  await stack.jobsDone();
  const campaignId = campaign.id;
  const key = { organizationId: organization.id, campaignId };
  await foldCampaignCounts(stack.db, 1_000);
  await sql`update campaign_counts set waiting = waiting + 3, last_busy = 7, dials = dials - 2`.execute(
    stack.db,
  );
  const prove = () => proveCampaignCounts(stack.db, { afterSeconds: 0 });
  expect(await prove()).toEqual({ campaignId, repaired: true });
  const { told, are, sum, progress } = await bothCounts(stack, key);
  expect(told).toEqual(are);
  expect(sum).toBe(9);
  expect(progress.outcomes['busy']).toBeUndefined();
  await foldCampaignCounts(stack.db, 1_000);
  expect(await prove()).toEqual({ campaignId, repaired: false });
  expect(await prove()).toEqual({ campaignId: null, repaired: false });
});
