import { sql, type Kysely } from 'kysely';

/**
 * Setting caps counted all calls of 31 days while the gates of the organization waited. Most of them can be counted before, in batches:
 * `called_people_fills` says until when the calls of an organization were, and when that was found. Only what came later is counted while gates wait. Frozen: a change is a new
 * migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table called_people_fills (
     organization_id uuid primary key references organizations (id) on delete cascade,
     counted_to timestamptz not null,
     at timestamptz not null
   )`,
  `create or replace function fill_called_people(organization uuid) returns void language plpgsql volatile as $$
   declare
     now constant timestamptz := engine_now();
     -- Set caps right after this: until then, gates may pass that record nothing.
     since constant timestamptz := greatest(now - interval '31 days', (
       select counted_to from called_people_fills
       where organization_id = organization and at between now - interval '10 minutes' and now));
   begin
     insert into called_people as p (organization_id, phone_number, dialed_at, dialed_by)
     select organization, phone_number, array_agg(gated_at order by gated_at, id), array_agg(campaign_id order by gated_at, id)
     from calls
     -- A direct call is written before its gate, by the time that it waits for a line at most.
     where organization_id = organization and created_at > since - interval '1 hour'
       and kind = 'phone_outbound' and phone_number <> '' and gated_at > since
     group by phone_number order by phone_number
     on conflict (organization_id, phone_number) do update
       set (dialed_at, dialed_by) = (
         select array_agg(d.at order by d.at), array_agg(d.by order by d.at)
         from (select distinct on (at) at, by
               from unnest(p.dialed_at || excluded.dialed_at, p.dialed_by || excluded.dialed_by) as one(at, by)
               order by at) d);
   end $$`,
];
