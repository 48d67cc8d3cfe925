import { sql, type RawBuilder } from 'kysely';
import { isNumberChecked } from '../compliance/is-number-checked.ts';
import { isSuppressed } from '../compliance/is-suppressed.ts';
import type { PersonCheckJson } from '../schema/compliance.ts';
import { isGivenByPolicy } from '../campaigns/retry-rule.ts';

/** What has to be true of a call for a condition to apply to it. */
export type GateFact =
  | 'isOfCampaign'
  | 'isDirect'
  | 'needsConsent'
  | 'needsScrub'
  | 'hasCallingHours'
  | 'hasPersonCaps'
  | 'hasCallerId';

interface GateCondition {
  reason: string;
  /** What the condition requires, for people. */
  text: string;
  /** `isOfCampaign` also exempts direct calls in the gate. */
  appliesIf: GateFact | 'always';
  /** Whether a recipient that it refuses stays due, since the next advance looks at what it waits for. Otherwise `gate-refusal.ts` decides. */
  staysDue?: true;
  holds: RawBuilder<unknown>;
}

/**
 * The conditions of a dial. The first one that does not hold is the reason of a refusal; null, for example because a row is gone, does not hold.
 * The gates of campaign calls, repeated sends, direct calls and queued calls use all of them.
 *
 * To add a condition, add an entry. Unless a recipient stays due, the compiler then requires its next step (`packages/engine/src/dial/gate-refusal.ts`);
 * unless it is of campaigns only, that of a direct call (`direct/place-direct-call.ts`); and a case for each caller (`test/support/gates/gate-cases.ts`).
 */
export const gateConditions = [
  {
    reason: 'stale',
    text: 'No other attempt to the recipient is in progress.',
    appliesIf: 'always',
    staysDue: true,
    holds: sql`g.is_live`,
  },
  {
    reason: 'not_running',
    text: 'The campaign is running.',
    appliesIf: 'isOfCampaign',
    staysDue: true,
    holds: sql`g.status = 'running'`,
  },
  {
    reason: 'withdrawn',
    text: 'The recipient is on the list of the campaign and was not withdrawn.',
    appliesIf: 'isOfCampaign',
    staysDue: true,
    holds: sql`g.withdrawn_at is null`,
  },
  {
    reason: 'suppressed',
    text: 'The number is not on the suppression list.',
    appliesIf: 'always',
    holds: sql`not ${isSuppressed({ organization_id: sql`g.organization_id`, phone_number: sql`g.phone_number`, now: sql`g.now` })}`,
  },
  {
    reason: 'no_consent',
    text: 'A consent in force covers the purpose of the call, and is of a kind that the rules of the place and the campaign accept.',
    appliesIf: 'needsConsent',
    holds: sql`not g.needs_consent or g.consent_id is not null`,
  },
  // Before `on_scrub_list`, because an outdated list must not end a recipient.
  {
    reason: 'scrub_outdated',
    text: 'Each scrub list that is needed was obtained within the days for which it is good.',
    appliesIf: 'needsScrub',
    staysDue: true,
    holds: sql`not g.needs_scrub or g.now < g.scrub_valid_until`,
  },
  {
    reason: 'on_scrub_list',
    text: 'The number is on none of the scrub lists that are needed.',
    appliesIf: 'needsScrub',
    holds: sql`not g.is_on_scrub_list`,
  },
  {
    reason: 'number_refused',
    text: 'The organization may call the country of the number and numbers of its kind.',
    appliesIf: 'always',
    holds: sql`g.is_allowed_destination`,
  },
  {
    reason: 'number_unchecked',
    text: 'If the campaign or the organization needs a query of reassigned numbers, the newest one is recent enough and says that the number was not given up.',
    appliesIf: 'always',
    holds: isNumberChecked({
      organization_id: sql`g.organization_id`,
      phone_number: sql`g.phone_number`,
      now: sql`g.now`,
      days: sql`g.query_days`,
    }),
  },
  // The plan of a recipient may be older than the rules.
  {
    reason: 'not_due',
    text: 'The rules of the campaign allow another attempt.',
    appliesIf: 'isOfCampaign',
    holds: isGivenByPolicy({
      attempts: sql`g.attempts`,
      round_attempts: sql`g.round_attempts`,
      last_outcome: sql`g.last_outcome`,
      is_requested_round: sql`g.is_requested_round`,
      max_attempts: sql`g.max_attempts`,
      call_back_attempts: sql`g.call_back_attempts`,
      queue_again: sql`g.queue_again`,
      retry_on: sql`g.retry_on`,
    }),
  },
  {
    reason: 'window_closed',
    text: 'The calling window of the campaign is open in every time zone where the person may be.',
    appliesIf: 'isOfCampaign',
    holds: sql`g.now >= g.opens_at and g.now < g.closes_at`,
  },
  {
    reason: 'calling_hours',
    text: 'Every rule that may apply at the location of the person allows a call at this time.',
    appliesIf: 'hasCallingHours',
    holds: sql`g.now >= g.hours_open_at and g.now < g.hours_close_at`,
  },
  {
    reason: 'person_capped',
    text: 'The person was not called more often or more recently than the caps allow.',
    appliesIf: 'hasPersonCaps',
    holds: sql`g.person_free_at is null or g.person_free_at <= g.now`,
  },
  {
    reason: 'no_line_in_time',
    text: 'The call did not wait too long for a line.',
    appliesIf: 'isDirect',
    staysDue: true,
    holds: sql`g.queue_deadline_at is null or g.now < g.queue_deadline_at`,
  },
  // A unique index also enforces this against concurrent gates.
  {
    reason: 'number_in_call',
    text: 'The organization has no other call to the number in progress.',
    appliesIf: 'always',
    holds: sql`not exists (
      select from calls l where l.organization_id = g.organization_id and l.phone_number = g.phone_number
        and l.line_held and l.id <> g.call_id)`,
  },
  // Counts earlier calls of this gate even if they are refused, so that the quota is never exceeded. Refused ones are retried.
  {
    reason: 'quota',
    text: 'The organization’s quota of calls and spend for the day is not used up.',
    appliesIf: 'isOfCampaign',
    staysDue: true,
    holds: sql`g.calls_left is null or g.nth_of_organization <= g.calls_left`,
  },
  // Like the quota.
  {
    reason: 'calls_per_second',
    text: 'The calls per second of the campaign and of its provider, if there are any, leave room for the call.',
    appliesIf: 'always',
    staysDue: true,
    holds: sql`g.pace_left is null or g.nth <= g.pace_left`,
  },
  // Last, because a direct call takes its caller id only when no other condition blocks it.
  {
    reason: 'no_caller_id',
    text: 'The caller id of the call may be used.',
    appliesIf: 'hasCallerId',
    holds: sql`not g.needs_caller_id or g.has_caller_id`,
  },
] as const satisfies readonly GateCondition[];

type Condition = (typeof gateConditions)[number];
export type GateReason = Condition['reason'];
/** These never refuse a direct call. */
export type ReasonOfCampaign = Extract<Condition, { appliesIf: 'isOfCampaign' }>['reason'];
/** These leave a recipient due. */
export type DueReason = Extract<Condition, { staysDue: true }>['reason'];

export function isStillDue(reason: GateReason): reason is DueReason {
  return gateConditions.some((condition) => condition.reason === reason && 'staysDue' in condition);
}

/** Whether a condition lets `g` pass. */
export function passes({ appliesIf, holds }: GateCondition): RawBuilder<unknown> {
  return appliesIf === 'isOfCampaign' ? sql`(not g.of_campaign or (${holds}))` : holds;
}

/** The first condition that does not hold for `g`; null if all hold. */
export function refusalOf(conditions: readonly GateCondition[]): RawBuilder<GateReason | null> {
  const cases = conditions.map(
    (condition) => sql`when (${passes(condition)}) is not true then ${sql.lit(condition.reason)}`,
  );
  return sql`case ${sql.join(cases, sql` `)} end`;
}

/** Why a gate refused, and what the caller needs to react. */
export interface GateRefusal {
  reason: GateReason;
  now: Date;
  /** The recipient's calling key; null for a direct call. */
  calling_key: string | null;
  /** When caps allow a call to the person again. */
  person_free_at: Date | null;
  /** For the receipt: the grounds of the decision, and the ledger of the person. */
  grounds_id?: string | null;
  person_check?: PersonCheckJson | null;
}
