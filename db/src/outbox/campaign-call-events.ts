import { sql } from 'kysely';
import type { Executor } from '../transaction.ts';
import { eventColumns, eventJoins, placedEvent, type PlacedEvent } from './read-events.ts';

export interface CampaignCallEvents {
  events: PlacedEvent[];
  /** Where to continue. */
  position: string;
}

/** The events of a campaign's calls after a position and since an instant, oldest first. */
export async function readCampaignCallEvents(
  db: Executor,
  args: { organizationId: string; campaignId: string; after: string; since: Date | null; limit: number },
): Promise<CampaignCallEvents> {
  // Read first, because a page that is not full has everything up to here.
  const newest = await newestEventPosition(db, args.organizationId);
  const { rows } = await sql<Parameters<typeof placedEvent>[0] & { position: string }>`
    select ${eventColumns}, o.position from outbox o ${eventJoins}
    where o.organization_id = ${args.organizationId} and o.position > ${args.after}::bigint
      and o.campaign_id = ${args.campaignId} and o.type like 'call.%'
      and (${args.since}::timestamptz is null or o.created_at >= ${args.since})
    order by o.position limit ${args.limit}`.execute(db);
  const last = rows.at(-1)?.position ?? args.after;
  const isFull = rows.length === args.limit;
  return { events: rows.map(placedEvent), position: isFull || BigInt(last) > BigInt(newest) ? last : newest };
}

/** The position of an organization's newest event, for a reader that starts now. */
export async function newestEventPosition(db: Executor, organizationId: string): Promise<string> {
  const { rows } = await sql<{ position: string | null }>`
    select max(position) as position from outbox where organization_id = ${organizationId}`.execute(db);
  return rows[0]?.position ?? '0';
}
