import type { StoredStep } from '@outdial/core';
import { sql, type RawBuilder } from 'kysely';
import type { OutboxEvent } from '../outbox/write-outbox.ts';
import { anyLength } from '../postgres/any-length.ts';

export type RecipientChange = {
  organizationId: string;
  campaignId: string;
  recipientId: string;
} & StoredStep;

/**
 * Two common table expressions, `places` and `changed`, which update recipients whose rows are locked. They end its call.
 *
 * The rows are first looked up by key, because Postgres assumes a hundred rows for a record set, and would scan a table of some thousand
 * recipients.
 */
export function changedRecipients(changes: readonly RecipientChange[]): RawBuilder<unknown> {
  const organizationIds = changes.map((one) => one.organizationId);
  const campaignIds = changes.map((one) => one.campaignId);
  const recipientIds = changes.map((one) => one.recipientId);
  return sql`
    places as materialized (
      select coalesce(array_agg(at.place), '{}') as found
      from unnest(${anyLength(organizationIds, 'uuid')}, ${anyLength(campaignIds, 'uuid')},
                  ${anyLength(recipientIds, 'uuid')}) as x(organization_id, campaign_id, id)
      cross join lateral (
        select r.ctid as place from campaign_recipients r
        where r.organization_id = x.organization_id and r.campaign_id = x.campaign_id and r.id = x.id limit 1) at),
    changed as (
      update campaign_recipients r
      set state = x.state, attempts = x.attempts, last_outcome = x.last_outcome, next_attempt_at = x.next_attempt_at,
          round = x.round, round_attempts = x.round_attempts, finish_reason = x.finish_reason,
          first_attempt_at = case when x.attempts > 0 then r.first_attempt_at end,
          call_id = null
      from jsonb_to_recordset(${JSON.stringify(changes.map(toRow))}::jsonb) as x(
        organization_id uuid, campaign_id uuid, id uuid, state text, attempts int, last_outcome text,
        next_attempt_at timestamptz, round int, round_attempts int, finish_reason text)
      where r.ctid = any((select found from places)::tid[])
        and r.organization_id = x.organization_id and r.campaign_id = x.campaign_id and r.id = x.id)`;
}

function toRow(change: RecipientChange): object {
  return {
    organization_id: change.organizationId,
    campaign_id: change.campaignId,
    id: change.recipientId,
    state: change.state,
    attempts: change.attempts,
    last_outcome: change.lastOutcome,
    next_attempt_at: change.nextAttemptAt,
    round: change.round,
    round_attempts: change.roundAttempts,
    finish_reason: change.finishReason ?? undefined,
  };
}

/** The columns of a `StoredStepRow`, of a recipient `r` and its last call `l`, which a left join leaves null if it was deleted. */
export const storedStepColumns: RawBuilder<unknown> = sql`
  r.calling_key, r.withdrawn_at, r.first_attempt_at, r.attempts, r.round, r.round_attempts, r.requested_round, r.last_outcome, r.next_attempt_at,
  l.round as call_round, l.round_attempt as call_round_attempt, l.gated_at as call_gated_at,
  coalesce(l.corrected_at, l.ended_at) as call_ended_at, l.outcome as call_outcome`;

/** The outbox event of a finished recipient; none if another attempt follows. */
export function recipientFinished(change: RecipientChange): OutboxEvent[] {
  const { organizationId, campaignId, recipientId, finishReason: reason, attempts, round } = change;
  if (reason === null) return [];
  const data = { reason, outcome: change.lastOutcome, attempts, round };
  return [{ type: 'recipient.finished', organizationId, campaignId, recipientId, data }];
}
