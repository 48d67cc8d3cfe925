import { sql, type Kysely } from 'kysely';

/**
 * What each dial had Postgres look up twice. A call refers to its agent's prompt, which refers to the agent, so the key of the agent follows from it. A use
 * of a consent is written by the gate that has just read the consent, and is deleted with it. The check for earlier releases asks for changes of the number
 * first, since few numbers have any. Frozen: a change is a new migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `alter table calls drop constraint calls_organization_id_agent_id_fkey`,
  `alter table consent_uses drop constraint consent_uses_consent_id_fkey`,
  // One look-up by key for each campaign and each number, also if the planner has no statistics of the tables.
  `create or replace function refuse_new_calls_of_earlier_releases() returns trigger language plpgsql as $$
   begin
     if exists (
       select from (
         select distinct organization_id, campaign_id from added
         where campaign_id is not null and scrub_check is null) a
       cross join lateral (
         select scrub_lists from campaign_configs
         where organization_id = a.organization_id and campaign_id = a.campaign_id limit 1) f
       where f.scrub_lists is not null) then
       raise exception 'the campaign needs scrub lists, and this worker asked none: it is of an earlier release'
         using errcode = 'check_violation', constraint = 'calls_ask_scrub_lists';
     end if;
     if exists (
       select from (
         select organization_id, phone_number, consent_id from added
         where campaign_id is not null and consent_id is not null) a
       cross join lateral (
         select changed_at from number_changes
         where organization_id = a.organization_id and phone_number = a.phone_number
         order by changed_at desc limit 1) n
       cross join lateral (
         select given_at from consents
         where organization_id = a.organization_id and id = a.consent_id limit 1) c
       where n.changed_at >= c.given_at) then
       raise exception 'the number was ported or reassigned since the consent, and this worker did not ask: it is of an earlier release'
         using errcode = 'check_violation', constraint = 'calls_ask_number_changes';
     end if;
     return null;
   end $$`,
];
