import type { Deferral } from '@outdial/core';
import { sql } from 'kysely';
import { refusalsCounted } from '../compliance/refusals.ts';
import { recipientsFinished } from '../outbox/write-outbox.ts';
import type { Tx } from '../transaction.ts';
import type { GateRefusal } from '../gate/conditions.ts';
import type { CampaignKey } from '../keys.ts';

/** What becomes of a recipient that the gate refused. */
export type AfterRefusal =
  | { state: 'pending'; at: Date; deferredFor?: Deferral | undefined }
  | { state: 'suppressed'; reason?: 'no_consent' | 'on_scrub_list' | undefined };

export interface RefusedRecipient {
  recipientId: string;
  next: AfterRefusal;
  refusal: GateRefusal;
}

/** Gives locked recipients that the gate refused their next state, and counts the refusals for the receipts. Burns no attempt. */
export async function refuseRecipients(
  tx: Tx,
  { organizationId, campaignId }: CampaignKey,
  refused: readonly RefusedRecipient[],
  now: Date,
): Promise<void> {
  if (refused.length === 0) return;
  const rows = refused.map(({ recipientId, next, refusal }) => ({
    id: recipientId,
    state: next.state,
    next_attempt_at: next.state === 'pending' ? next.at : null,
    deferred_for: next.state === 'pending' ? next.deferredFor : undefined,
    reason: next.state === 'suppressed' ? next.reason : undefined,
    refused: refusal.reason,
    refused_at: refusal.now,
    grounds_id: refusal.grounds_id,
    person_check: refusal.person_check,
  }));
  await sql`
    with old as materialized (
      select r.ctid as row_id, r.organization_id, r.campaign_id, x.*
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as x(id uuid, state text, next_attempt_at timestamptz, deferred_for text,
        reason text, refused text, refused_at timestamptz, grounds_id uuid, person_check jsonb)
      cross join lateral (
        select ctid, organization_id, campaign_id from campaign_recipients
        where organization_id = ${organizationId} and campaign_id = ${campaignId} and id = x.id and state = 'pending' limit 1) r),
    refused as (${refusalsCounted(sql`old`)}),
    changed as (
      update campaign_recipients r
      set state = old.state,
          -- A recipient that is due at once keeps its earlier due time, so that setting the clock back does not delay it.
          next_attempt_at = case when old.next_attempt_at <= ${now} then least(r.next_attempt_at, old.next_attempt_at) else old.next_attempt_at end,
          deferred_until = case when old.deferred_for is not null then old.next_attempt_at end,
          deferred_for = old.deferred_for
      from old where r.ctid = old.row_id
      returning r.organization_id, r.campaign_id, r.id, r.state, r.last_outcome, r.attempts, r.round, old.reason as refused_for),
    finished as (${recipientsFinished(sql`changed where state <> 'pending'`, { reason: sql`coalesce(refused_for, state)`, now })})
    select 1`.execute(tx);
}

const firstWaitSeconds = 5;
const longestWaitSeconds = 3_600;

/** Postpones a recipient that could not be dialed because of a fault, and records it for operators. From the second consecutive failure, it waits longer each time. */
export async function setAside(
  tx: Tx,
  { organizationId, campaignId }: CampaignKey,
  { recipientId, failure }: { recipientId: string; failure: string },
): Promise<void> {
  await sql`
    with t as materialized (select engine_now() as now),
    failing as (
      insert into failing_recipients as f
        (recipient_id, organization_id, campaign_id, attempts, failures, last_error, failing_since, last_failed_at)
      select r.id, r.organization_id, r.campaign_id, r.attempts, 1, ${failure}, t.now, t.now from t cross join campaign_recipients r
      where r.organization_id = ${organizationId} and r.campaign_id = ${campaignId} and r.id = ${recipientId} and r.state = 'pending'
      on conflict (recipient_id) do update
      set failures = case when f.attempts = excluded.attempts then f.failures + 1 else 1 end,
          failing_since = case when f.attempts = excluded.attempts then f.failing_since else excluded.failing_since end,
          attempts = excluded.attempts, last_error = excluded.last_error, last_failed_at = excluded.last_failed_at
      returning f.failures)
    update campaign_recipients r
    set next_attempt_at = t.now + case when failing.failures > 1
      then least(${longestWaitSeconds}, ${firstWaitSeconds} * 2 ^ least(failing.failures - 2, 20)) else 0 end * interval '1 second'
    from t cross join failing
    where r.organization_id = ${organizationId} and r.campaign_id = ${campaignId} and r.id = ${recipientId} and r.state = 'pending'`.execute(
    tx,
  );
}
