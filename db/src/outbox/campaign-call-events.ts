import { sql } from 'kysely';
import type { Executor } from '../transaction.ts';
import { eventColumns, eventJoins, placedEvent, type PlacedEvent } from './read-events.ts';

export interface CampaignCallEvents {
  events: PlacedEvent[];
  /** Where to go on from. */
  position: string;
}

/** What has happened to the calls of a campaign after a place in the order of events, oldest first. */
export async function readCampaignCallEvents(
  db: Executor,
  args: { organizationId: string; campaignId: string; after: string; limit: number },
): Promise<CampaignCallEvents> {
  const { rows } = await sql<Parameters<typeof placedEvent>[0] & { position: string }>`
    select ${eventColumns}, o.position from outbox o ${eventJoins}
    where o.organization_id = ${args.organizationId} and o.position > ${args.after}::bigint
      and o.campaign_id = ${args.campaignId} and o.type like 'call.%'
    order by o.position limit ${args.limit}`.execute(db);
  return { events: rows.map(placedEvent), position: rows.at(-1)?.position ?? args.after };
}

/** The place of the newest event of an organization, for a reader that begins now. */
export async function newestEventPosition(db: Executor, organizationId: string): Promise<string> {
  const { rows } = await sql<{ position: string | null }>`
    select max(position) as position from outbox where organization_id = ${organizationId}`.execute(db);
  return rows[0]?.position ?? '0';
}
