import type { Outcome } from '@outdial/core';
import { loadCampaignDefinition } from '@outdial/db';
import { expect, test } from 'vitest';
import { createRandom, type Random } from '../../chaos/random.ts';
import { isOpen } from '../../oracle/dialing-oracle.ts';
import { verdictOf } from '../../oracle/retry-oracle.ts';
import { campaignByHand } from './by-hand.ts';
import { phoneNumbers } from './campaign.ts';

/** One campaign in every test run. `.ci/run` runs more. */
const campaigns = Number(process.env['SIMULATED_CAMPAIGNS'] ?? 1);
const seed = Number(process.env['SEED'] ?? 1);
const stepsAtMost = 60;

type ByHand = Awaited<ReturnType<typeof campaignByHand>>;
type CallRow = Awaited<ReturnType<typeof callsOf>>[number];

const callsOf = (hand: ByHand) =>
  hand.stack.db.selectFrom('calls').selectAll().orderBy('gated_at').orderBy('id').execute();

function lastCallOf(call: CallRow) {
  return {
    attempt: call.attempt,
    round: call.round ?? 0,
    roundAttempt: call.round_attempt ?? 0,
    gatedAt: call.gated_at ?? new Date(0),
    endedAt: call.ended_at ?? new Date(0),
    outcome: call.outcome ?? 'unknown',
  };
}

/** The current rules and recipients, as the oracle needs them. */
async function rulesOf(hand: ByHand) {
  const definition = await loadCampaignDefinition(hand.stack.db, hand.campaignId);
  if (!definition) throw new Error('the campaign is gone');
  const { schedule, policy, status } = definition;
  return { schedule, policy, status };
}

/** The oracle's verdict on each current dial, under the current rules. */
async function judgeDials(hand: ByHand, fresh: readonly CallRow[]): Promise<void> {
  const { schedule, policy } = await rulesOf(hand);
  const calls = await callsOf(hand);
  for (const call of fresh) {
    const recipient = await hand.recipient(call.phone_number);
    const zone = recipient.calling_key;
    const at = call.gated_at ?? new Date(0);
    const told = { phone: call.phone_number, attempt: call.attempt, at, schedule, policy };
    expect({ ...told, isOpen: isOpen(schedule, zone, at.getTime()) }).toEqual({ ...told, isOpen: true });
    const last = calls.find(
      (one) => one.recipient_id === call.recipient_id && one.attempt === call.attempt - 1,
    );
    if (last === undefined) {
      expect(call).toMatchObject({ attempt: 1, round: 1, round_attempt: 1 });
      continue;
    }
    const firstAttemptAt = recipient.first_attempt_at ?? at;
    const verdict = verdictOf({ policy, schedule, zone, last: lastCallOf(last), firstAttemptAt });
    const isDue = 'at' in verdict && verdict.at <= at.getTime();
    expect({ ...told, last: lastCallOf(last), verdict, isDue }).toMatchObject({
      isDue: true,
      verdict: { round: call.round, roundAttempt: call.round_attempt },
    });
  }
}

/** Expects that no recipient is forgotten: due recipients in an open window have been dialed, and finished ones have no next attempt. */
async function judgeTheRest(hand: ByHand, dialedAt: Date | null): Promise<void> {
  const { schedule, policy, status } = await rulesOf(hand);
  if (status !== 'running') return;
  const calls = await callsOf(hand);
  const recipients = await hand.stack.db.selectFrom('campaign_recipients').selectAll().execute();
  for (const recipient of recipients) {
    const last = calls.findLast((call) => call.recipient_id === recipient.id);
    if (!last?.ended_at) continue;
    const verdict = verdictOf({
      policy,
      schedule,
      zone: recipient.calling_key,
      last: lastCallOf(last),
      firstAttemptAt: recipient.first_attempt_at ?? new Date(0),
    });
    const told = { phone: recipient.phone_number, last: lastCallOf(last), schedule, policy, dialedAt };
    if ('never' in verdict) {
      expect({ ...told, state: recipient.state }).toEqual({ ...told, state: 'done' });
      continue;
    }
    // A recipient who was finished under the rules in force stays finished under later ones.
    if (recipient.state !== 'pending') continue;
    const wasDue =
      dialedAt !== null &&
      verdict.at <= dialedAt.getTime() &&
      isOpen(schedule, recipient.calling_key, dialedAt.getTime());
    expect({ ...told, wasDue }).toEqual({ ...told, wasDue: false });
    const dueAt = recipient.next_attempt_at?.getTime() ?? 0;
    expect({ ...told, dueAt }).toEqual({ ...told, dueAt: verdict.at });
  }
}

function randomPolicy(random: Random): Partial<Record<string, unknown>> {
  const outcomes: Outcome[] = ['no_answer', 'busy', 'failed', 'voicemail', 'unknown'];
  return {
    call_back_attempts: random.between(0, 2),
    queue_again: random.chance(0.7),
    retry_delay_seconds: random.pick([60, 900, 3_600, 40_000]),
    retry_delays_seconds: random.pick([null, [60, 40_000], { busy: [900, 60], no_answer: [3_600] }]),
    retry_on: outcomes.filter(() => random.chance(0.8)),
    call_on_weekend: random.chance(0.5),
    max_attempts_per_recipient: random.chance(0.2) ? random.between(2, 6) : null,
  };
}

function randomHours(random: Random): { start_time: string; end_time: string } {
  return random.pick([
    { start_time: '09:00', end_time: '17:00' },
    { start_time: '09:00', end_time: '09:30' },
    { start_time: '22:00', end_time: '02:00' },
    { start_time: '00:00', end_time: '23:59' },
  ]);
}

const zones = ['America/New_York', 'Europe/Berlin', 'Australia/Lord_Howe', 'Pacific/Auckland'] as const;

async function changeSomething(hand: ByHand, random: Random): Promise<void> {
  const { manager, campaignId } = hand;
  if (random.chance(0.4)) {
    await manager.setConfig(campaignId, randomPolicy(random));
    return;
  }
  await manager.setStatus(campaignId, 'paused');
  if (random.chance(0.5)) await manager.setConfig(campaignId, randomPolicy(random));
  if (random.chance(0.6)) {
    await manager.updateCampaign(campaignId, {
      ...randomHours(random),
      additional_params: { timezone: random.pick(zones) },
    });
  }
  await hand.stack.clock.advance(random.between(0, 48) * 3_600_000);
  await manager.setStatus(campaignId, 'running');
}

async function simulate(random: Random): Promise<{ dials: number }> {
  const hand = await campaignByHand(
    { ...randomPolicy(random), max_concurrent_calls: 10 },
    { ...randomHours(random), phone_numbers: phoneNumbers(4) },
    // Three days before clocks change in America, and weeks before they change elsewhere.
    { startAt: '2027-03-11T09:00:00-05:00' },
  );
  const { db, clock } = hand.stack;
  // A window must not open or close between a dial and its judgement.
  await clock.stop();
  let dials = 0;
  for (let step = 0; step < stepsAtMost; step++) {
    const dialedAt = await clock.now();
    const fresh = await hand.dialAll();
    dials += fresh.length;
    await judgeDials(hand, fresh);
    await judgeTheRest(hand, dialedAt);
    if ((await rulesOf(hand)).status !== 'running') break;
    if (fresh.length > 0) await clock.advance(random.between(1, 400) * 1_000);
    for (const call of fresh) {
      await hand.end(call.id, random.pick(['busy', 'no_answer', 'unknown', 'voicemail', 'completed']));
    }
    await judgeTheRest(hand, null);
    if (random.chance(0.2)) {
      await changeSomething(hand, random);
      await judgeTheRest(hand, null);
    }
    const runtime = await db.selectFrom('campaign_runtime').select('wake_at').executeTakeFirstOrThrow();
    const now = await clock.now();
    if (runtime.wake_at !== null && runtime.wake_at > now) {
      await clock.set(new Date(runtime.wake_at.getTime() + random.between(0, 600) * 1_000));
    }
  }
  return { dials };
}

test(
  'a campaign over weeks, with changes in between, makes the dials that the oracle allows, and forgets no recipient',
  async () => {
    let dials = 0;
    for (let n = 0; n < campaigns; n++) dials += (await simulate(createRandom(seed + n))).dials;
    expect(dials).toBeGreaterThan(campaigns);
  },
  30_000 + campaigns * 60_000,
);
