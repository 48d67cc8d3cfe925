import type { PlannedAttempt } from '../campaigns/retry-rule.ts';
import { sql, type RawBuilder } from 'kysely';

/**
 * The input of the conditions: one row for each dial, under the alias `g`. Every gate provides all columns. They are null if they do not apply: a
 * direct call has no recipient.
 */
export interface GateRow extends PlannedAttempt {
  /** Read after every lock of the gate. */
  now: RawBuilder<unknown>;
  organization_id: RawBuilder<unknown>;
  phone_number: RawBuilder<unknown>;
  /** The id of the call, which has no row yet if the dial is the first one. */
  call_id: RawBuilder<unknown>;
  /** Whether this recipient, queued call or send still waits for its gate. */
  is_live: RawBuilder<unknown>;
  /** False for a direct call, which has no status, window or policy. */
  of_campaign: RawBuilder<unknown>;
  status: RawBuilder<unknown>;
  /** Whether the terms of the call follow from the current settings: the revision of its campaign, or the settings of its organization. */
  is_current: RawBuilder<unknown>;
  /** By the limits of the organization, as of those settings. */
  is_allowed_destination: RawBuilder<unknown>;
  withdrawn_at: RawBuilder<unknown>;
  opens_at: RawBuilder<unknown>;
  closes_at: RawBuilder<unknown>;
  /** Whether the campaign or a rule of the place requires consent, and the consent of this dial. */
  needs_consent: RawBuilder<unknown>;
  consent_id: RawBuilder<unknown>;
  /** Whether the campaign requires scrub lists, until when all of them are valid, and whether the number is on one. */
  needs_scrub: RawBuilder<unknown>;
  scrub_valid_until: RawBuilder<unknown>;
  is_on_scrub_list: RawBuilder<unknown>;
  /** Within how many days a query must have said that the number was not given up; null for none. */
  query_days: RawBuilder<unknown>;
  /** When the caps per person allow a call; null for now. */
  person_free_at: RawBuilder<unknown>;
  /** The open calling hours under the organization's current policy; null if they are closed. */
  hours_open_at: RawBuilder<unknown>;
  hours_close_at: RawBuilder<unknown>;
  /** Whether the organization has caller ids, and whether that of this dial is usable. */
  needs_caller_id: RawBuilder<unknown>;
  has_caller_id: RawBuilder<unknown>;
  queue_deadline_at: RawBuilder<unknown>;
  /** How many gates the calls per second leave now; null without a pace. */
  pace_left: RawBuilder<unknown>;
  /** Calls left in the quota of the day; null without a quota, and for a call that already counts. */
  calls_left: RawBuilder<unknown>;
  /** The position among the calls of this gate, from 1: of its campaign, and of its organization. */
  nth: RawBuilder<unknown>;
  nth_of_organization: RawBuilder<unknown>;
}

/** The columns of `g`, for a gate's own select. */
export function gateRow(row: GateRow): RawBuilder<unknown> {
  return sql.join(Object.entries(row).map(([name, value]) => sql`${value} as ${sql.ref(name)}`));
}
