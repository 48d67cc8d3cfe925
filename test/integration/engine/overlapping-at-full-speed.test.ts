import type { CampaignConfigBody } from '@outdial/contracts';
import type { Outcome } from '@outdial/core';
import { inTransaction, loadCampaignDefinition } from '@outdial/db';
import { retryRecipientsInTransaction } from '@outdial/engine';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { verdictOf } from '../../oracle/retry-oracle.ts';
import { isFullRun } from '../../support/full-run.ts';
import { useFileStack } from '../../support/stack/use-stack.ts';
import { byHand, noProcesses } from './by-hand.ts';
import { phoneNumbers } from './campaign.ts';

/**
 * Two sides run at full speed: ends and corrections on one side, a request on the other. Nothing is synchronized, so a round may pass although a lock is
 * missing. With these numbers of rounds, the test failed without each of the locks. Chaos scenarios force each of the other pairs.
 */
const rounds = isFullRun ? 12 : 4;
const numbers = phoneNumbers(24);

type ByHand = Awaited<ReturnType<typeof byHand>>;
type Work = () => Promise<unknown>;

const stack = await useFileStack(noProcesses);

/** A campaign of an organization of its own. */
async function campaign(config: CampaignConfigBody): Promise<ByHand> {
  const whole = { max_concurrent_calls: numbers.length, retry_delay_seconds: 0, ...config };
  const fields = { start_time: '09:00', end_time: '17:00', phone_numbers: numbers };
  return byHand(stack, await stack.organization(), whole, fields);
}

/** Dials all recipients. Returns the ids of the calls. */
async function dialed(hand: ByHand): Promise<string[]> {
  return (await hand.dialAll()).map((call) => call.id);
}

/** Reports the end of all calls in one transaction. */
async function endAll(hand: ByHand, callIds: readonly string[], outcome: Outcome): Promise<void> {
  const at = await stack.clock.now();
  const fact = { kind: 'ended' as const, eventId: outcome, at, outcome, details: {} };
  await hand.report(callIds.map((callId) => ({ callId, facts: [fact] })));
}

/** Runs a few works at a time. `change` begins after the first `after` of them. */
async function meet(works: readonly Work[], after: number, change: Work): Promise<void> {
  const left = [...works];
  const begins = Promise.withResolvers<void>();
  let done = 0;
  const lane = async () => {
    for (let work = left.shift(); work; work = left.shift()) {
      if (done >= after) begins.resolve();
      await work();
      done += 1;
    }
  };
  await Promise.all([lane(), lane(), lane(), lane(), begins.promise.then(change)]);
}

const states = async (hand: ByHand) =>
  stack.db
    .selectFrom('campaign_recipients')
    .selectAll()
    .where('campaign_id', '=', hand.campaignId)
    .orderBy('position')
    .execute();

/** Expects every recipient without a live call to be in the state that the current rules give after their last outcome. */
async function standAsTheRulesSay(hand: ByHand): Promise<void> {
  const definition = await loadCampaignDefinition(stack.db, hand.campaignId);
  if (!definition) throw new Error('the campaign is gone');
  const { schedule, policy } = definition;
  const calls = await stack.db
    .selectFrom('calls')
    .selectAll()
    .where('campaign_id', '=', hand.campaignId)
    .execute();
  for (const recipient of await states(hand)) {
    const call = calls.find((one) => one.recipient_id === recipient.id && one.attempt === recipient.attempts);
    const endedAt = call?.corrected_at ?? call?.ended_at;
    if (!call?.outcome || !endedAt || !['pending', 'done'].includes(recipient.state)) continue;
    const verdict = verdictOf({
      policy,
      schedule,
      zone: recipient.calling_key,
      last: {
        attempt: call.attempt,
        round: call.round ?? 0,
        roundAttempt: call.round_attempt ?? 0,
        gatedAt: call.gated_at ?? endedAt,
        endedAt,
        outcome: call.outcome,
      },
      firstAttemptAt: recipient.first_attempt_at ?? endedAt,
    });
    const expected =
      'never' in verdict
        ? { state: 'done', round: call.round, reason: verdict.never }
        : { state: 'pending', round: verdict.round, reason: null, isEarly: false };
    const isEarly = 'at' in verdict && Number(recipient.next_attempt_at) < verdict.at;
    const { state, round, finish_reason: reason } = recipient;
    expect({ state, round, reason, isEarly }).toMatchObject(expected);
  }
}

test('corrections, ends and a config that takes the next round away', async () => {
  for (let n = 0; n < rounds; n++) {
    const hand = await campaign({ queue_again: true, retry_on: ['unknown', 'busy'] });
    const callIds = await dialed(hand);
    await endAll(hand, callIds.slice(0, callIds.length / 2), 'unknown');
    const works = callIds.map(
      (callId): Work =>
        () =>
          hand.end(callId, 'busy'),
    );
    const isTaken = n % 2 === 0;
    await meet([...works, () => hand.dialAll()], n % 7, async () => {
      if (isTaken) await hand.manager.setConfig(hand.campaignId, { queue_again: false });
      else await hand.dialAll();
    });
    await standAsTheRulesSay(hand);
    // No recipient is dialed in a round that is used up.
    expect(await dialed(hand)).toEqual([]);
  }
});

test('ends, and lists that some leave and come back to', async () => {
  for (let n = 0; n < rounds; n++) {
    const hand = await campaign({ queue_again: true });
    const works = (await dialed(hand)).map(
      (callId, index): Work =>
        () =>
          hand.end(
            callId,
            (['busy', 'completed', 'no_answer'] as const satisfies Outcome[])[index % 3] ?? 'busy',
          ),
    );
    await hand.manager.setStatus(hand.campaignId, 'paused');
    const list = (of: string[]) => hand.manager.updateCampaign(hand.campaignId, { phone_numbers: of });
    await meet(works, n % 5, async () => {
      await list(numbers.slice(numbers.length / 2).toReversed());
      await list(n % 2 === 0 ? numbers : numbers.toReversed());
    });
    await hand.manager.setStatus(hand.campaignId, 'running');
    await standAsTheRulesSay(hand);
    expect((await states(hand)).filter(({ state }) => state === 'withdrawn')).toEqual([]);
    expect(await dialed(hand)).toEqual([]);
  }
  const { rows } = await sql<{ deadlocks: number }>`
    select deadlocks::int from pg_stat_database where datname = current_database()`.execute(stack.db);
  expect(rows).toEqual([{ deadlocks: 0 }]);
});

test('requested rounds, and corrections of the calls before them', async () => {
  for (let n = 0; n < rounds; n++) {
    const hand = await campaign({});
    const callIds = await dialed(hand);
    await endAll(hand, callIds, 'unknown');
    const key = { organizationId: hand.organization.id, campaignId: hand.campaignId };
    let retried = 0;
    const works = callIds.map(
      (callId): Work =>
        () =>
          hand.end(callId, 'busy'),
    );
    await meet(works, n % 5, async () => {
      ({ retried } = await inTransaction(stack.db, (tx) =>
        retryRecipientsInTransaction(tx, { ...key, outcomes: ['unknown'] }),
      ));
    });
    const waiting = (await states(hand)).filter(({ state }) => state === 'pending');
    expect(waiting).toHaveLength(retried);
  }
});
