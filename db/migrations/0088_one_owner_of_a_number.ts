import { sql, type Kysely } from 'kysely';

/**
 * A number belongs to one organization, and is used once the operator has confirmed it. Numbers that one organization has stay confirmed. If several
 * have the same one, nobody knows whose it is: the first keeps it unconfirmed, which stops calls from it, and the others lose it, with an entry in their
 * audit logs. Frozen: a change is a new migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `alter table caller_ids drop constraint caller_ids_state_check,
     add constraint caller_ids_state_check check (state in ('pending', 'active', 'resting', 'retired')),
     alter column state set default 'pending'`,
  `create temporary table claims on commit drop as
     select id, row_number() over (partition by phone_number order by state = 'retired', created_at, id) as place
     from caller_ids
     where phone_number in (select phone_number from caller_ids group by phone_number having count(*) > 1)`,
  `insert into audit_log (organization_id, created_at, action, actor_type, operator, target_type, target_id, changes)
     select c.organization_id, now(), 'migrate', 'operator', 'migration 0088', 'caller_id', c.id::text,
       case when place = 1 then jsonb_build_object('state', jsonb_build_object('before', c.state, 'after', 'pending'))
         else jsonb_build_object('phone_number', jsonb_build_object('before', c.phone_number, 'after', null)) end
     from caller_ids c join claims on claims.id = c.id`,
  `update caller_ids c set state = 'pending', state_reason = 'several organizations had added the number', resting_until = null
     from claims where claims.id = c.id and place = 1`,
  `delete from caller_ids c using claims where claims.id = c.id and place > 1`,
  // The constraint within an organization stays: the release before names it when it adds a number.
  `drop index caller_ids_by_number`,
  `create unique index caller_ids_by_number on caller_ids (phone_number)`,
];
