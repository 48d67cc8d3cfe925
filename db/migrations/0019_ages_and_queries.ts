import { sql, type Kysely } from 'kysely';

/**
 * How old the importer of a scrub list lets it become, queries of one instant that differ, and conversations about debts on direct calls when caps are
 * set. Frozen: a change is a new migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(schema).execute(db);
}

const schema = `
-- Null for as many days as the law allows, which may change.
alter table scrub_lists add column asked_days integer check (asked_days > 0);
update scrub_lists set asked_days = good_for_days where good_for_days < 31;

-- A registry may be asked twice at one instant, since when a number was given up: each answer counts.
alter table number_queries
  drop constraint number_queries_organization_id_phone_number_queried_at_sour_key,
  add constraint number_queries_once unique nulls not distinct (organization_id, phone_number, queried_at, source, answer, since);
create trigger number_queries_added after insert on number_queries referencing new table as changed
  for each statement execute function hold_suppressions();

-- A conversation about a debt on a direct call counts too.
create or replace function fill_called_people(organization uuid) returns void language plpgsql as $$
declare
  now constant timestamptz := engine_now();
  -- Set caps right after this: until then, gates may pass that record nothing.
  since constant timestamptz := greatest(now - interval '31 days', (
    select counted_to from called_people_fills
    where organization_id = organization and at between now - interval '10 minutes' and now));
begin
  insert into called_people as p (organization_id, phone_number, dialed_at, campaign_ids, conversation_at)
  select organization, c.phone_number, array_agg(c.gated_at order by c.gated_at, c.id), array_agg(c.campaign_id order by c.gated_at, c.id),
    max(c.ended_at) filter (where c.outcome = 'completed' and coalesce(f.purpose, c.purpose) = 'debt_collection')
  from calls c left join campaign_configs f on f.organization_id = c.organization_id and f.campaign_id = c.campaign_id
  -- A direct call is written before its gate, by the time that it waits for a line at most.
  where c.organization_id = organization and c.created_at > since - interval '1 hour'
    and c.kind = 'phone_outbound' and c.phone_number <> '' and c.gated_at > since
  group by c.phone_number order by c.phone_number
  on conflict (organization_id, phone_number) do update
    set conversation_at = greatest(p.conversation_at, excluded.conversation_at),
      (dialed_at, campaign_ids) = (
      select array_agg(d.at order by d.at), array_agg(d.by order by d.at)
      from (select distinct on (at) at, by
            from unnest(p.dialed_at || excluded.dialed_at, p.campaign_ids || excluded.campaign_ids) as one(at, by)
            order by at) d);
end $$;
`;
