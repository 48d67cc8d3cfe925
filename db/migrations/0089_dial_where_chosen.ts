import { sql, type Kysely } from 'kysely';

/**
 * A recipient is chosen and dialed in one transaction, so claims, their leases and their slots of time go. Gates are counted in `pace`, on the rows of
 * campaigns and providers. Workers of earlier releases can no longer dial, so nothing has to refuse their gates. Frozen: a change is a new migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `update campaign_runtime rt set lines_in_use = greatest(0, rt.lines_in_use - held.claims)
     from (select campaign_id, count(*)::int as claims from campaign_recipients where state = 'claimed' group by 1) held
     where rt.campaign_id = held.campaign_id`,
  `update organizations o set lines_in_use = greatest(0, o.lines_in_use - held.claims)
     from (select organization_id, count(*)::int as claims from campaign_recipients where state = 'claimed' group by 1) held
     where o.id = held.organization_id and o.max_lines is not null`,
  `update providers p set lines_in_use = greatest(0, p.lines_in_use - held.claims)
     from (select claim_provider, count(*)::int as claims from campaign_recipients where state = 'claimed' group by 1) held
     where p.name = held.claim_provider and p.max_lines is not null`,
  `delete from caller_id_uses u using campaign_recipients r where r.state = 'claimed' and u.claim_id = r.claim_id`,
  `update campaign_recipients set state = 'withdrawn', next_attempt_at = null, claim_id = null, claim_provider = null, lease_expires_at = null
     where state = 'claimed' and withdrawn_at is not null`,
  `update campaign_recipients set state = 'pending', claim_id = null, claim_provider = null, lease_expires_at = null,
       next_attempt_at = coalesce(next_attempt_at, engine_now())
     where state = 'claimed'`,
  `drop index campaign_recipients_leases`,
  `alter table campaign_recipients drop column lease_expires_at, drop column slot_at`,
  `alter table calls drop column slot_at`,
  `alter table campaign_runtime drop column next_slot_at, drop column slots_from, add column pace jsonb`,
  `alter table providers drop column next_slot_at, drop column slots_from, add column pace jsonb`,
  `drop table slot_accounts`,
  `drop trigger calls_of_earlier_releases on calls`,
  `drop trigger new_calls_of_earlier_releases on calls`,
  `drop function refuse_gates_of_earlier_releases`,
  `drop function refuse_new_calls_of_earlier_releases`,
];
