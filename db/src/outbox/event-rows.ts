import type { CampaignStatus, FinishReason } from '@outdial/core';
import { sql, type RawBuilder } from 'kysely';

/**
 * Inserts an outbox row for each finished recipient. A common table expression.
 * @param of rows of recipients with `organization_id`, `campaign_id`, `id`, `last_outcome`, `attempts` and `round`
 */
export function recipientsFinished(
  of: RawBuilder<unknown>,
  args: { reason: FinishReason | RawBuilder<unknown>; now: Date | RawBuilder<unknown> },
): RawBuilder<unknown> {
  const reason = typeof args.reason === 'string' ? sql`${args.reason}::text` : args.reason;
  return sql`
    insert into outbox (organization_id, type, campaign_id, recipient_id, data, created_at)
    select organization_id, 'recipient.finished', campaign_id, id,
      jsonb_build_object('reason', ${reason}, 'outcome', last_outcome, 'attempts', attempts, 'round', round),
      ${args.now}::timestamptz
    from ${of}`;
}

const typesOfStatus: Readonly<Partial<Record<CampaignStatus, string>>> = {
  running: 'campaign.started',
  paused: 'campaign.paused',
  finished: 'campaign.finished',
  canceled: 'campaign.canceled',
};

/** The same for campaigns with a new status. Drafts have no event. @param of rows with `organization_id` and `id` */
export function campaignMoved(
  of: RawBuilder<unknown>,
  args: { status: CampaignStatus; now: Date },
): RawBuilder<unknown> {
  const type = typesOfStatus[args.status] ?? null;
  return sql`
    insert into outbox (organization_id, type, campaign_id, data, created_at)
    select organization_id, ${type}::text, id, jsonb_build_object('status', ${args.status}::text), ${args.now}::timestamptz
    from ${of} where ${type}::text is not null`;
}

/** The same for blocked campaigns. @param of rows with `organization_id`, `id`, `reason`, `since` and `now` */
export function campaignsBlocked(of: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    insert into outbox (organization_id, type, campaign_id, data, created_at)
    select organization_id, 'campaign.blocked', id,
      jsonb_build_object('status', 'running', 'reason', reason, 'blocked_since', to_char(
        since at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')), now
    from ${of}`;
}
