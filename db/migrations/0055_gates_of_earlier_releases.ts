import { sql, type Kysely } from 'kysely';

/**
 * While an upgrade runs, workers of earlier releases still dial, and their gates ask neither scrub lists nor changes of numbers. So the database refuses what such a gate
 * lets through: a call of a campaign that needs scrub lists without the versions that were asked, and one that relies on a consent from before its
 * number became somebody else's. A gate of this release never does either. Frozen: a change is a new migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create function refuse_gates_of_earlier_releases() returns trigger language plpgsql as $$
   begin
     if new.scrub_check is null and exists (
       select from campaign_configs f
       where f.organization_id = new.organization_id and f.campaign_id = new.campaign_id and f.scrub_lists is not null) then
       raise exception 'the campaign needs scrub lists, and this worker asked none: it is of an earlier release'
         using errcode = 'check_violation', constraint = 'calls_ask_scrub_lists';
     end if;
     if new.consent_id is not null and exists (
       select from consents c
       join number_changes n on n.organization_id = c.organization_id and n.phone_number = c.phone_number
         and n.changed_at >= c.given_at
       where c.id = new.consent_id and c.organization_id = new.organization_id) then
       raise exception 'the number was ported or reassigned since the consent, and this worker did not ask: it is of an earlier release'
         using errcode = 'check_violation', constraint = 'calls_ask_number_changes';
     end if;
     return new;
   end $$`,
  `create trigger calls_of_earlier_releases before insert or update of gated_at on calls
     for each row when (new.campaign_id is not null and (new.consent_id is not null or new.scrub_check is null))
     execute function refuse_gates_of_earlier_releases()`,
];
