import { type RawBuilder, sql } from 'kysely';
import type { FinishReason, Outcome, PublicCallStatus, CampaignStatus } from '@outdial/core';
import { deferred } from '../postgres/deferred.ts';
import type { Executor, Tx } from '../transaction.ts';
import { eventColumns, eventJoins, type PlacedEvent } from './read-events.ts';
import type { CampaignKey } from '../keys.ts';

/**
 * Inserts the events of a transaction in the given order, with its next statement or the commit. Lock the rows that they tell of first: a
 * call has one event each for start, answer and end, which follows from its locked row.
 */
export async function writeOutbox(tx: Tx, events: readonly OutboxEvent[], now: Date): Promise<void> {
  if (events.length > 0) await deferred(outboxStatement(events, now), tx);
}

/** Exported for the warm-up. */
export function outboxStatement(events: readonly OutboxEvent[], now: Date): RawBuilder<unknown> {
  return sql`
    insert into outbox (organization_id, type, campaign_id, recipient_id, call_id, data, created_at)
    select organization_id, type, campaign_id, recipient_id, call_id, data, ${now}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(events.map(toRow))}::jsonb) as x(
      organization_id uuid, type text, campaign_id uuid, recipient_id uuid, call_id uuid, data jsonb)`;
}

function toRow(event: OutboxEvent): object {
  return {
    organization_id: event.organizationId,
    type: event.type,
    campaign_id: event.campaignId,
    recipient_id: event.recipientId,
    call_id: 'callId' in event ? event.callId : undefined,
    data: event.data,
  };
}

interface CampaignCallEvents {
  events: PlacedEvent[];
  position: string;
}

/** The events of a campaign's calls after a position and since an instant, oldest first. */
export async function readCampaignCallEvents(
  db: Executor,
  args: CampaignKey & { after: string; since: Date | null; limit: number },
): Promise<CampaignCallEvents> {
  // Read first, because a page that is not full has everything up to here.
  const newest = await newestEvent(db, args.organizationId);
  const { rows } = await sql<PlacedEvent & { position: string }>`
    select ${eventColumns}, o.position from outbox o ${eventJoins}
    where o.organization_id = ${args.organizationId} and o.position > ${args.after}::bigint
      and o.campaign_id = ${args.campaignId} and o.type like 'call.%'
      and (${args.since}::timestamptz is null or o.created_at >= ${args.since})
    order by o.position limit ${args.limit}`.execute(db);
  const last = rows.at(-1)?.position ?? args.after;
  const isFull = rows.length === args.limit;
  return {
    events: rows,
    position: isFull || BigInt(last) > BigInt(newest.position) ? last : newest.position,
  };
}

/** The newest event of an organization, after which a reader that starts now begins. Without any, `id` is null and `position` 0. */
export async function newestEvent(
  db: Executor,
  organizationId: string,
): Promise<{ id: string | null; position: string }> {
  const { rows } = await sql<{ id: string; position: string }>`
    select id, position from outbox where organization_id = ${organizationId} and position is not null
    order by position desc limit 1`.execute(db);
  return rows[0] ?? { id: null, position: '0' };
}

/** The data of a call's outbox row, without personal data. Readers look up the rest. */
export interface CallEventData {
  attempt: number;
  status: PublicCallStatus;
  outcome?: Outcome | undefined;
  started_at?: string | undefined;
  answered_at?: string | undefined;
  ended_at?: string | undefined;
  duration?: number | undefined;
  /** The provider's status or the engine's reason. */
  external_status?: string | undefined;
  /** For `call.updated`: the fields that changed after the end. */
  changed?: string[] | undefined;
}

/** Callers subscribe to the `type`. */
export type OutboxEvent =
  | ({ type: 'call.started' | 'call.answered' | 'call.ended' | 'call.updated' } & {
      organizationId: string;
      campaignId: string | null;
      recipientId: string | null;
      callId: string;
      data: CallEventData;
    })
  | ({ type: 'recipient.finished' } & {
      organizationId: string;
      campaignId: string;
      recipientId: string;
      data: { reason: FinishReason; outcome: Outcome | null; attempts: number; round: number };
    });

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
