import { slotToleranceMs } from '@outdial/core';
import { sql, type RawBuilder } from 'kysely';
import type { PersonCheckJson } from '../../schema/compliance.ts';
import { isGivenByPolicy } from '../retry-rule.ts';

/**
 * The input of the conditions: one row for each dial, under the alias `g`. Every gate provides all columns. They are null if they do not apply: a
 * direct call has no recipient, a repeated send no lease.
 */
export interface GateRow {
  /** Read after every lock of the gate. */
  now: RawBuilder<unknown>;
  organization_id: RawBuilder<unknown>;
  phone_number: RawBuilder<unknown>;
  /** The id of the call, which at first is that of its claim. */
  call_id: RawBuilder<unknown>;
  /** Whether this claim, queued call or send has not been replaced. */
  is_live: RawBuilder<unknown>;
  /** False for a direct call, which has no status, window or policy. */
  of_campaign: RawBuilder<unknown>;
  status: RawBuilder<unknown>;
  /** Whether windows and policy were read under the current revision. */
  is_current: RawBuilder<unknown>;
  withdrawn_at: RawBuilder<unknown>;
  /** Earlier attempts in all rounds and in this round, and the last outcome. */
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
  /** Whether the campaign requires consent, and the consent of this dial. */
  needs_consent: RawBuilder<unknown>;
  consent_id: RawBuilder<unknown>;
  /** Whether the campaign requires scrub lists, until when all of them are valid, and whether the number is on one. */
  needs_scrub: RawBuilder<unknown>;
  scrub_valid_until: RawBuilder<unknown>;
  is_on_scrub_list: RawBuilder<unknown>;
  /** When the caps per person allow a call; null for now. */
  person_free_at: RawBuilder<unknown>;
  /** The open calling hours under the organization's current policy; null if they are closed. */
  hours_open_at: RawBuilder<unknown>;
  hours_close_at: RawBuilder<unknown>;
  /** Whether the organization has caller ids, and whether that of this dial is usable. */
  needs_caller_id: RawBuilder<unknown>;
  has_caller_id: RawBuilder<unknown>;
  lease_expires_at: RawBuilder<unknown>;
  queue_deadline_at: RawBuilder<unknown>;
  /** Whether the campaign or the provider has a pace. */
  is_paced: RawBuilder<unknown>;
  slot_at: RawBuilder<unknown>;
  /** Slots before this instant belong to an earlier pace. */
  slots_from: RawBuilder<unknown>;
  /** Calls left in the quota of the day; null without a quota, and for a call that already counts. */
  calls_left: RawBuilder<unknown>;
  /** The position among the calls of this gate, from 1. */
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
 * The conditions of a dial. The first one that does not hold is the reason of a refusal; null, for example because a row is gone, does not hold.
 * The gates of campaign calls, repeated sends and direct calls use all of them.
 *
 * To add a condition, write it here with its reason, handle refused claims in `packages/engine/src/calls/gate-refusal.ts`, and add a row to
 * `test/support/gates/gate-cases.ts`.
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
  // Before `on_scrub_list`, because an outdated list must not end a recipient.
  { reason: 'scrub_outdated', holds: sql`not g.needs_scrub or g.now < g.scrub_valid_until` },
  { reason: 'on_scrub_list', holds: sql`not g.is_on_scrub_list` },
  { reason: 'changed', holds: ofCampaign(sql`g.is_current`) },
  // A claim from before a change of the rules must not dial a recipient that the rules give no attempt.
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
  // A unique index also enforces this against concurrent gates.
  {
    reason: 'number_in_call',
    holds: sql`not exists (
      select from calls l where l.organization_id = g.organization_id and l.phone_number = g.phone_number
        and l.phase in ('placing', 'ringing', 'answered') and l.id <> g.call_id)`,
  },
  // Counts earlier calls of this gate even if they are refused, so that the quota is never exceeded. Refused ones are retried.
  { reason: 'quota', holds: sql`g.calls_left is null or g.nth <= g.calls_left` },
  {
    reason: 'no_slot',
    // A new pace begins within half a second. If `slots_from` is further ahead, the clock was set back.
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

/** The first condition that does not hold for `g`; null if all hold. */
export function refusalOf(
  conditions: ReadonlyArray<{ reason: string; holds: RawBuilder<unknown> }>,
): RawBuilder<GateReason | null> {
  const cases = conditions.map(
    ({ reason, holds }) => sql`when (${holds}) is not true then ${sql.lit(reason)}`,
  );
  return sql`case ${sql.join(cases, sql` `)} end`;
}

/** Why a gate refused, and what the caller needs to react. */
export interface GateRefusal {
  reason: GateReason;
  now: Date;
  /** The recipient's calling key; null for a direct call. */
  timezone: string | null;
  slotAt: Date | null;
  /** When caps allow a call to the person again. */
  personFreeAt: Date | null;
  /** For the receipt: the grounds of the decision, and the ledger of the person. */
  groundsId?: string | null;
  personCheck?: PersonCheckJson | null;
}
