import { sql } from 'kysely';
import type { JsonObject } from '../schema/columns.ts';
import type { Executor } from '../transaction.ts';

export interface PlacedEvent {
  id: string;
  type: string;
  organization_id: string;
  created_at: Date;
  /** Increases by one within the recipient, campaign or call of the event. */
  sequence: number;
  data: JsonObject;
}

/**
 * An event with the ids of its subject and data from its call. The phone number is looked up, so that an erasure removes it from events. What is
 * not a number, as of a call in a browser or an erased person, is left out.
 */
export const eventColumns = sql`
  o.id, o.type, o.organization_id, o.created_at, o.sequence::float8 as sequence,
  jsonb_strip_nulls(jsonb_build_object(
    'campaign_id', o.campaign_id, 'recipient_id', o.recipient_id, 'call_id', o.call_id,
    'agent_id', c.agent_id, 'phone_number', case when starts_with(coalesce(c.phone_number, r.phone_number), '+') then coalesce(c.phone_number, r.phone_number) end)) || o.data as data`;

export const eventJoins = sql`
  left join calls c on c.id = o.call_id and c.organization_id = o.organization_id
  left join campaign_recipients r on r.organization_id = o.organization_id and r.campaign_id = o.campaign_id
    and r.id = o.recipient_id`;

/** The position of an event in the reading order; null if the event does not exist. */
export async function findEventPosition(
  db: Executor,
  { organizationId, eventId }: { organizationId: string; eventId: string },
): Promise<string | null> {
  const { rows } = await sql<{ position: string }>`
    select position from outbox
    where id = ${eventId} and organization_id = ${organizationId} and position is not null`.execute(db);
  return rows[0]?.position ?? null;
}

/** Of a test of one endpoint; no endpoint subscribes to it, and lists of events leave it out. */
export const testEventType = 'webhook.test';

/** The events of an organization after a position, oldest first. @param args.types null for all */
export async function readEvents(
  db: Executor,
  args: { organizationId: string; after: string | null; types: readonly string[] | null; limit: number },
): Promise<PlacedEvent[]> {
  const { rows } = await sql<PlacedEvent>`
    select ${eventColumns} from outbox o ${eventJoins}
    where o.organization_id = ${args.organizationId} and o.position > ${args.after ?? '0'}::bigint
      and (${args.types}::text[] is null or o.type = any(${args.types})) and o.type <> ${testEventType}
      and o.created_at > (select engine_now()) - ${outboxRetentionDays} * interval '1 day'
    order by o.position limit ${args.limit}`.execute(db);
  return rows;
}

export const outboxRetentionDays = 30;

/**
 * Deletes at most `limit` expired rows, and returns how many. Ids are ordered by time, so the primary key finds the oldest. Keeps the number of the
 * last event of a campaign or recipient, from which the next one continues.
 */
export async function deleteOldOutboxEvents(
  db: Executor,
  { now, limit }: { now: Date; limit: number },
): Promise<number> {
  const { rows } = await sql<{ deleted: number }>`
    with gone as (
      delete from outbox where id = any(array(
        select id from (select id, created_at from outbox order by id limit ${limit} for update skip locked) oldest
        where created_at < ${now}::timestamptz - ${outboxRetentionDays} * interval '1 day'))
      returning subject_id, campaign_id, sequence),
    numbered as (
      insert into outbox_subjects (subject_id, campaign_id, last_sequence)
      select g.subject_id, g.campaign_id, max(g.sequence) from gone g join campaigns c on c.id = g.campaign_id
      where g.sequence is not null group by g.subject_id, g.campaign_id
      on conflict (subject_id) do update set last_sequence = greatest(outbox_subjects.last_sequence, excluded.last_sequence))
    select count(*)::int as deleted from gone`.execute(db);
  return rows[0]?.deleted ?? 0;
}
