import { slotToleranceMs } from '@outdial/core';
import { sql, type RawBuilder } from 'kysely';
import type { PersonCheckJson } from '../../schema/compliance.ts';
import { isGivenByPolicy } from '../retry-rule.ts';

/**
 * The input of the conditions: one row for each dial, under the alias `g`. Every gate provides all of these columns; null if a column
 * does not exist for it (a direct call has no recipient, a repeated placement no lease).
 */
export interface GateRow {
  /** Read after every lock of the gate. */
  now: RawBuilder<unknown>;
  organization_id: RawBuilder<unknown>;
  phone_number: RawBuilder<unknown>;
  /** The id of the call, which a first placement takes from its claim. */
  call_id: RawBuilder<unknown>;
  /** Whether this claim, queued call or open placement is still the live one. */
  is_live: RawBuilder<unknown>;
  /** False for a direct call, which has no campaign, and so no status, window or policy. */
  of_campaign: RawBuilder<unknown>;
  status: RawBuilder<unknown>;
  /** Whether windows and policy were read under the current revision. */
  is_current: RawBuilder<unknown>;
  withdrawn_at: RawBuilder<unknown>;
  /** Attempts before this one, in all rounds and in this round, and the outcome of the last of them. */
  attempts: RawBuilder<unknown>;
  round_attempts: RawBuilder<unknown>;
  last_outcome: RawBuilder<unknown>;
  /** Whether this attempt begins a round that a caller requested. */
  is_asked_round: RawBuilder<unknown>;
  max_attempts: RawBuilder<unknown>;
  call_back_attempts: RawBuilder<unknown>;
  queue_again: RawBuilder<unknown>;
  retry_on: RawBuilder<unknown>;
  opens_at: RawBuilder<unknown>;
  closes_at: RawBuilder<unknown>;
  /** Whether the campaign calls only people who have consented, and the consent that this dial relies on. */
  needs_consent: RawBuilder<unknown>;
  consent_id: RawBuilder<unknown>;
  /** Whether the campaign requires scrub lists, until when all of them are valid, and whether the number is on one. */
  needs_scrub: RawBuilder<unknown>;
  scrub_valid_until: RawBuilder<unknown>;
  is_on_scrub_list: RawBuilder<unknown>;
  /** From when caps over all campaigns allow a call to the person; null if they do not forbid one. */
  person_free_at: RawBuilder<unknown>;
  /** When the rules at the person's location allow calls, under the organization's current policy; null if they do not. */
  hours_open_at: RawBuilder<unknown>;
  hours_close_at: RawBuilder<unknown>;
  /** Whether the organization calls from its own caller ids, and whether the one of this dial may be used. */
  needs_caller_id: RawBuilder<unknown>;
  has_caller_id: RawBuilder<unknown>;
  lease_expires_at: RawBuilder<unknown>;
  queue_deadline_at: RawBuilder<unknown>;
  /** Whether the campaign or the provider has calls per second. */
  is_paced: RawBuilder<unknown>;
  slot_at: RawBuilder<unknown>;
  /** Earlier slots were handed out under an earlier pace. */
  slots_from: RawBuilder<unknown>;
  /** Calls left in the quota of the day; null without a quota, and for a call that is already counted. */
  calls_left: RawBuilder<unknown>;
  /** Its position among the calls in this gate, from 1. */
  nth: RawBuilder<unknown>;
}

/** The columns of `g`, for a gate's own select. */
export function gateRow(row: GateRow): RawBuilder<unknown> {
  return sql.join(Object.entries(row).map(([name, value]) => sql`${value} as ${sql.ref(name)}`));
}

function ofCampaign(condition: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(not g.of_campaign or (${condition}))`;
}

/**
 * The conditions of a dial, in the order in which a refusal is named: the first one that does not hold is the reason. Every gate
 * composes all of them: the first placement of an attempt, a repeated one, and a direct call. A condition that is neither true nor
 * false (a row is gone) does not hold.
 *
 * To add one: write it here with its reason, define in `packages/engine/src/calls/gate-refusal.ts` what happens to a refused
 * claim, and add its row to `test/support/gates/gate-cases.ts`.
 */
export const gateConditions = [
  { reason: 'stale', holds: sql`g.is_live` },
  { reason: 'not_running', holds: ofCampaign(sql`g.status = 'running'`) },
  { reason: 'withdrawn', holds: sql`g.withdrawn_at is null` },
  {
    reason: 'suppressed',
    holds: sql`not exists (
      select from suppressions s where s.organization_id = g.organization_id and s.phone_number = g.phone_number
        and (s.expires_at is null or s.expires_at > g.now))
      and not exists (select from installation_suppressions i where i.phone_number = g.phone_number)`,
  },
  { reason: 'no_consent', holds: sql`not g.needs_consent or g.consent_id is not null` },
  // Before the list itself: an outdated list must not end a recipient for good.
  { reason: 'scrub_outdated', holds: sql`not g.needs_scrub or g.now < g.scrub_valid_until` },
  { reason: 'on_scrub_list', holds: sql`not g.is_on_scrub_list` },
  { reason: 'changed', holds: ofCampaign(sql`g.is_current`) },
  // The rule of core/retry-policy.ts: a claim from before a change of the rules must not dial a recipient without a further attempt.
  {
    reason: 'not_due',
    holds: ofCampaign(
      isGivenByPolicy({
        attempts: sql`g.attempts`,
        round_attempts: sql`g.round_attempts`,
        last_outcome: sql`g.last_outcome`,
        is_asked_round: sql`g.is_asked_round`,
        max_attempts: sql`g.max_attempts`,
        call_back_attempts: sql`g.call_back_attempts`,
        queue_again: sql`g.queue_again`,
        retry_on: sql`g.retry_on`,
      }),
    ),
  },
  { reason: 'window_closed', holds: ofCampaign(sql`g.now >= g.opens_at and g.now < g.closes_at`) },
  { reason: 'calling_hours', holds: sql`g.now >= g.hours_open_at and g.now < g.hours_close_at` },
  { reason: 'person_capped', holds: sql`g.person_free_at is null or g.person_free_at <= g.now` },
  { reason: 'lease_expired', holds: sql`g.lease_expires_at is null or g.now < g.lease_expires_at` },
  { reason: 'no_line_in_time', holds: sql`g.queue_deadline_at is null or g.now < g.queue_deadline_at` },
  // A unique index enforces this too, against a call that goes live at the same time.
  {
    reason: 'number_in_call',
    holds: sql`not exists (
      select from calls l where l.organization_id = g.organization_id and l.phone_number = g.phone_number
        and l.phase in ('placing', 'ringing', 'answered') and l.id <> g.call_id)`,
  },
  // Earlier calls in this gate count whether they pass or not, so the quota is never exceeded; refused ones are tried again.
  { reason: 'quota', holds: sql`g.calls_left is null or g.nth <= g.calls_left` },
  {
    reason: 'no_slot',
    // A pace begins within half a second after it is set. If it lies further ahead, the clock was set back.
    holds: sql`not g.is_paced or (g.slot_at is not null and (
      g.slot_at >= coalesce(g.slots_from, '-infinity') or g.slots_from > g.now + interval '2 seconds'))`,
  },
  { reason: 'slot_to_come', holds: sql`g.slot_at is null or g.now >= g.slot_at` },
  {
    reason: 'slot_missed',
    holds: sql`g.slot_at is null or g.now <= g.slot_at + ${slotToleranceMs} * interval '1 millisecond'`,
  },
  // Last, because a direct call takes its caller id only when no other condition blocks it.
  { reason: 'no_caller_id', holds: sql`not g.needs_caller_id or g.has_caller_id` },
] as const;

export type GateReason = (typeof gateConditions)[number]['reason'];

/** The first condition that blocks a dial of `g`; null if all hold. */
export function refusalOf(
  conditions: ReadonlyArray<{ reason: string; holds: RawBuilder<unknown> }>,
): RawBuilder<GateReason | null> {
  const cases = conditions.map(
    ({ reason, holds }) => sql`when (${holds}) is not true then ${sql.lit(reason)}`,
  );
  return sql`case ${sql.join(cases, sql` `)} end`;
}

/** Why a gate stayed shut, with the data needed to decide what comes next. */
export interface GateRefusal {
  reason: GateReason;
  now: Date;
  /** The recipient's; null for a direct call. */
  timezone: string | null;
  slotAt: Date | null;
  /** When caps allow a call to the person again. */
  personFreeAt: Date | null;
  /** For the receipt: the grounds of the decision, and the ledger of the person. */
  groundsId?: string | null;
  personCheck?: PersonCheckJson | null;
}
