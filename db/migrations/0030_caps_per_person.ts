import { sql, type Kysely } from 'kysely';

/**
 * How often one person may be called, over all campaigns of an organization. Frozen: a change is a new migration.
 *
 * `called_people` is the ledger that gates of an organization with caps count by. Gates without caps write nothing into it, so it is
 * filled from the calls that are there whenever caps are set. Setting caps waits for the gates that are open, like a
 * suppression (migration 0015): those that come after it read the caps and the filled ledger.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table person_caps (
     organization_id uuid primary key references organizations (id),
     -- {"calls": [{"calls": 3, "hours": 24}], "gap_seconds": 14400, "after_conversation_hours": 168}; null is no such cap.
     caps jsonb not null default '{}' check (jsonb_typeof(caps) = 'object'),
     updated_at timestamptz not null default now()
   )`,
  `create table called_people (
     organization_id uuid not null references organizations (id),
     phone_number text not null,
     -- The instants of the gates, and the campaign of each; null for a direct call.
     dialed_at timestamptz[] not null default '{}',
     dialed_by uuid[] not null default '{}',
     -- The end of the last conversation about a debt.
     conversation_at timestamptz,
     primary key (organization_id, phone_number),
     check (cardinality(dialed_at) = cardinality(dialed_by))
   ) with (fillfactor = 70)`,
  `create function fill_called_people(organization uuid) returns void language sql volatile as $$
     insert into called_people as p (organization_id, phone_number, dialed_at, dialed_by)
     select organization, phone_number, array_agg(gated_at order by gated_at, id), array_agg(campaign_id order by gated_at, id)
     from calls
     where organization_id = organization and phone_number <> '' and gated_at > engine_now() - interval '31 days'
     group by phone_number order by phone_number
     on conflict (organization_id, phone_number) do update
       set (dialed_at, dialed_by) = (
         select array_agg(d.at order by d.at), array_agg(d.by order by d.at)
         from (select distinct on (at) at, by
               from unnest(p.dialed_at || excluded.dialed_at, p.dialed_by || excluded.dialed_by) as one(at, by)
               order by at) d)
   $$`,
  `create function hold_person_caps() returns trigger language plpgsql as $$
   begin
     perform pg_advisory_xact_lock(3, hashtext(new.organization_id::text));
     perform fill_called_people(new.organization_id);
     return null;
   end $$`,
  `create trigger person_caps_set after insert or update on person_caps
     for each row execute function hold_person_caps()`,

  `alter table campaign_configs add column purpose text
     check (purpose in ('marketing', 'service', 'debt_collection'))`,
  // Why a recipient waits until \`deferred_until\`, as long as that is when it is due.
  `alter table campaign_recipients add column deferred_until timestamptz, add column deferred_for text`,
];
