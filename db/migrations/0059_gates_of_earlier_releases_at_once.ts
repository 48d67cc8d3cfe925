import { sql, type Kysely } from 'kysely';

/**
 * The checks of migration 0055 for new calls, once for all calls of a gate instead of twice for each. A call that is placed again is checked as before.
 * Frozen: a change is a new migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  // One look-up by key for each campaign and each consent, also if the planner has no statistics of the tables.
  `create function refuse_new_calls_of_earlier_releases() returns trigger language plpgsql as $$
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
         select organization_id, consent_id from added where campaign_id is not null and consent_id is not null) a
       cross join lateral (
         select phone_number, given_at from consents
         where organization_id = a.organization_id and id = a.consent_id limit 1) c
       cross join lateral (
         select from number_changes
         where organization_id = a.organization_id and phone_number = c.phone_number and changed_at >= c.given_at
         limit 1) n) then
       raise exception 'the number was ported or reassigned since the consent, and this worker did not ask: it is of an earlier release'
         using errcode = 'check_violation', constraint = 'calls_ask_number_changes';
     end if;
     return null;
   end $$`,
  `drop trigger calls_of_earlier_releases on calls`,
  `create trigger calls_of_earlier_releases before update of gated_at on calls
     for each row when (new.campaign_id is not null and (new.consent_id is not null or new.scrub_check is null))
     execute function refuse_gates_of_earlier_releases()`,
  `create trigger new_calls_of_earlier_releases after insert on calls referencing new table as added
     for each statement execute function refuse_new_calls_of_earlier_releases()`,
];
