import { sql, type Kysely } from 'kysely';

/** New caps count the conversations about debts of before them as well, as `noteConversations` does for later ones. Frozen: a change is a new migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create or replace function fill_called_people(organization uuid) returns void language plpgsql volatile as $$
   declare
     now constant timestamptz := engine_now();
     -- Set caps right after this: until then, gates may pass that record nothing.
     since constant timestamptz := greatest(now - interval '31 days', (
       select counted_to from called_people_fills
       where organization_id = organization and at between now - interval '10 minutes' and now));
   begin
     insert into called_people as p (organization_id, phone_number, dialed_at, dialed_by, conversation_at)
     select organization, c.phone_number, array_agg(c.gated_at order by c.gated_at, c.id), array_agg(c.campaign_id order by c.gated_at, c.id),
       max(c.ended_at) filter (where c.outcome = 'completed' and f.purpose = 'debt_collection')
     from calls c left join campaign_configs f on f.organization_id = c.organization_id and f.campaign_id = c.campaign_id
     -- A direct call is written before its gate, by the time that it waits for a line at most.
     where c.organization_id = organization and c.created_at > since - interval '1 hour'
       and c.kind = 'phone_outbound' and c.phone_number <> '' and c.gated_at > since
     group by c.phone_number order by c.phone_number
     on conflict (organization_id, phone_number) do update
       set conversation_at = greatest(p.conversation_at, excluded.conversation_at),
         (dialed_at, dialed_by) = (
         select array_agg(d.at order by d.at), array_agg(d.by order by d.at)
         from (select distinct on (at) at, by
               from unnest(p.dialed_at || excluded.dialed_at, p.dialed_by || excluded.dialed_by) as one(at, by)
               order by at) d);
   end $$`,
];
