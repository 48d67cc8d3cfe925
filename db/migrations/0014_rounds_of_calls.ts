import { sql, type Kysely } from 'kysely';

/**
 * What the retry rule decides by stands with the calls: in which round each was dialed, and as which attempt of it. A recipient's own counters
 * hold what is planned. Frozen: a change is a new migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  // Null for direct calls, and for calls of the versions before.
  `alter table calls add column round integer check (round >= 1), add column round_attempt integer check (round_attempt >= 1)`,
  // Why nobody dials it any more; null while somebody may, and where an earlier version decided it.
  `alter table campaign_recipients add column finish_reason text`,
  // `replan`: the rules changed while it did not run, and decide for whoever is left when it does. `stopped_at`: when it last stopped running.
  `alter table campaign_runtime add column replan boolean not null default false, add column stopped_at timestamptz`,
  // A config row always exists, whoever writes the campaign, so that its defaults stand in one place.
  `create function add_campaign_config() returns trigger language plpgsql as $$
   begin
     insert into campaign_configs (organization_id, campaign_id, created_at, updated_at)
       values (new.organization_id, new.id, new.created_at, new.created_at);
     return null;
   end $$`,
  `create trigger campaigns_have_a_config after insert on campaigns for each row execute function add_campaign_config()`,
  `insert into campaign_configs (organization_id, campaign_id, created_at, updated_at)
     select organization_id, id, created_at, created_at from campaigns c
     on conflict (organization_id, campaign_id) do nothing`,
];
