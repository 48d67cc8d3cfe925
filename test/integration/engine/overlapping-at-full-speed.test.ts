import type { CampaignConfigBody, CreateCampaignBody } from '@outdial/contracts';
import type { Outcome } from '@outdial/core';
import { inTransaction, loadCampaignDefinition } from '@outdial/db';
import { retryRecipientsInTransaction } from '@outdial/engine';
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { verdictOf } from '../../oracle/retry-oracle.ts';
import { isFullRun } from '../../support/full-run.ts';
import { RefusedRequestError } from '../../support/stack/http-client.ts';
import type { TestOrganization } from '../../support/stack/organization.ts';
import { useFileStack } from '../../support/stack/use-stack.ts';
import { byHand, noProcesses } from './by-hand.ts';
import { phoneNumbers } from './campaign.ts';

/**
 * Two sides run at full speed: ends, corrections and undone attempts on one side, a request on the other. Nothing is synchronized, so a round may
 * pass although a lock is missing. With these numbers of rounds, the test failed without each of the locks.
 */
const rounds = isFullRun ? 12 : 4;
const people = 24;
const office = { start_time: '09:00', end_time: '17:00' };

type ByHand = Awaited<ReturnType<typeof byHand>>;
type Work = () => Promise<unknown>;

const stack = await useFileStack(noProcesses);
let organization: TestOrganization;
let made = 0;
beforeEach(async () => {
  organization = await stack.organization();
});

/** Creates a campaign with new people. */
async function campaign(
  config: CampaignConfigBody,
  { size = people, ...fields }: Partial<CreateCampaignBody> & { size?: number } = {},
): Promise<{ hand: ByHand; numbers: string[] }> {
  made += 1;
  const numbers = phoneNumbers(size, String(made % 100).padStart(2, '0'));
  const whole = { max_concurrent_calls: size, retry_delay_seconds: 0, ...config };
  const hand = await byHand(stack, organization, whole, { ...office, ...fields, phone_numbers: numbers });
  return { hand, numbers };
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

/** A request reaches its campaign after some milliseconds. This delay varies the moment at which they meet. */
const aMoment = () => new Promise((resolve) => setTimeout(resolve, Math.random() * 12));

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

test('ends, undone attempts, dials and a config that gives no call-backs', async () => {
  for (let n = 0; n < rounds; n++) {
    const { hand } = await campaign({ call_back_attempts: 3 });
    await endAll(hand, await dialed(hand), 'busy');
    const works = (await dialed(hand)).map((callId, index): Work => {
      if (index % 6 === 5) return () => hand.dialAll();
      return index % 2 === 0 ? () => hand.end(callId, 'busy') : () => hand.undo(callId);
    });
    await meet(works, n % 5, () => hand.manager.setConfig(hand.campaignId, { call_back_attempts: 0 }));
    await standAsTheRulesSay(hand);
    const waiting = (await states(hand)).filter(({ state }) => state === 'pending');
    expect(waiting).toEqual([]);
  }
});

test('corrections, and the undoing of the attempts after them', async () => {
  for (let n = 0; n < rounds; n++) {
    const { hand } = await campaign({ call_back_attempts: 2, retry_on: ['unknown'] });
    const first = await dialed(hand);
    await endAll(hand, first, 'unknown');
    const second = await dialed(hand);
    const works = first.flatMap((callId, index): Work[] => [
      () => hand.end(callId, 'completed'),
      () => hand.undo(second[index] ?? ''),
    ]);
    await meet(n % 2 === 0 ? works : works.toReversed(), n, async () => undefined);
    expect(new Set((await states(hand)).map(({ state }) => state))).toEqual(new Set(['done']));
    await standAsTheRulesSay(hand);
  }
});

test('corrections and a cancel', async () => {
  for (let n = 0; n < 4 * rounds; n++) {
    const { hand } = await campaign({ call_back_attempts: 2 }, { size: 2 });
    const callIds = await dialed(hand);
    await endAll(hand, callIds, 'unknown');
    const correct = async () => {
      await aMoment();
      await endAll(hand, callIds, 'busy');
    };
    await Promise.all([correct(), hand.manager.setStatus(hand.campaignId, 'canceled')]);
    const { withdrawing } = await stack.db
      .selectFrom('campaign_runtime')
      .select('withdrawing')
      .where('campaign_id', '=', hand.campaignId)
      .executeTakeFirstOrThrow();
    // Recipients who became pending before the cancel are withdrawn. None becomes pending afterwards.
    const waiting = (await states(hand)).filter(({ state }) => state === 'pending');
    expect({ withdrawing, waiting: waiting.length }).toEqual({ withdrawing, waiting: withdrawing ? 2 : 0 });
  }
});

test('campaigns without recipients left, and added numbers', async () => {
  const pairs: Array<{ hand: ByHand; fresh: string }> = [];
  for (let n = 0; n < 4 * rounds; n++) {
    const { hand, numbers } = await campaign({}, { size: 1 });
    await endAll(hand, await dialed(hand), 'completed');
    pairs.push({ hand, fresh: `${(numbers[0] ?? '').slice(0, -4)}99${(numbers[0] ?? '').slice(-2)}` });
  }
  const added = new Map<ByHand, boolean>();
  const add = async ({ hand, fresh }: (typeof pairs)[number]) => {
    try {
      await hand.manager.addRecipients(hand.campaignId, [fresh]);
      added.set(hand, true);
    } catch (error) {
      if (!(error instanceof RefusedRequestError && error.code === 'campaign_over')) throw error;
      added.set(hand, false);
    }
  };
  for (const pair of pairs) {
    const finish = async () => {
      await aMoment();
      await pair.hand.dialAll();
    };
    await Promise.all([add(pair), finish(), finish()]);
    const { status } = await pair.hand.manager.readCampaign(pair.hand.campaignId);
    expect(status).toBe(added.get(pair.hand) === true ? 'running' : 'finished');
  }
});

test('corrections, ends and a config that takes the next round away', async () => {
  for (let n = 0; n < rounds; n++) {
    const { hand } = await campaign({ queue_again: true, retry_on: ['unknown', 'busy'] });
    const callIds = await dialed(hand);
    await endAll(hand, callIds.slice(0, people / 2), 'unknown');
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
    const { hand, numbers } = await campaign({ queue_again: true });
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
      await list(numbers.slice(people / 2).toReversed());
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

test('hang-ups, and the undoing of the attempts of their calls', async () => {
  for (let n = 0; n < rounds; n++) {
    const { hand } = await campaign({}, { size: 6 });
    const callIds = await dialed(hand);
    const answered: string[] = [];
    const hangUp = async (callId: string) => {
      try {
        await hand.manager.hangUp(callId);
        answered.push(callId);
      } catch (error) {
        // The attempt was undone before.
        if (!(error instanceof RefusedRequestError && [404, 409].includes(error.status))) throw error;
      }
    };
    const works = callIds.map(
      (callId): Work =>
        () =>
          Promise.all([hangUp(callId), aMoment().then(() => undoIfThere(hand, callId))]),
    );
    await meet(works, 0, async () => undefined);
    const left = await stack.db
      .selectFrom('calls')
      .select('id')
      .where('campaign_id', '=', hand.campaignId)
      .execute();
    // A call is either marked for hang-up or undone. A recipient whose call is marked is not dialed under another id.
    expect(left.map(({ id }) => id).toSorted()).toEqual(answered.toSorted());
    const live = (await states(hand)).filter(({ state }) => state === 'dialing');
    expect(live).toHaveLength(answered.length);
  }
});

async function undoIfThere(hand: ByHand, callId: string): Promise<void> {
  const call = stack.db.selectFrom('calls').select('id').where('id', '=', callId);
  if (await call.executeTakeFirst()) await hand.undo(callId);
}

test('requested rounds, and corrections of the calls before them', async () => {
  for (let n = 0; n < rounds; n++) {
    const { hand } = await campaign({});
    const callIds = await dialed(hand);
    await endAll(hand, callIds, 'unknown');
    const key = { organizationId: organization.id, campaignId: hand.campaignId };
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
