import { sql, type Kysely } from 'kysely';

/**
 * A transfer dials somebody else for a call: how many of them a call has made, which count in the quota of the day, and whether it holds a second line for
 * one. Lines are counted with them when a cap is set. Frozen: a change is a new migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `alter table calls
     add column transfers integer not null default 0,
     add column transfer_line boolean not null default false`,
  ...[
    { table: 'providers', key: 'name', ofCall: 'provider', ofClaim: 'claim_provider' },
    { table: 'organizations', key: 'id', ofCall: 'organization_id', ofClaim: 'organization_id' },
  ].map(
    ({ table, key, ofCall, ofClaim }) =>
      `create or replace function count_lines_of_${table}() returns trigger language plpgsql volatile as $$
     begin
       if new.max_lines is null then new.lines_in_use := 0;
       elsif old.max_lines is null then new.lines_in_use :=
         (select count(*) + count(*) filter (where transfer_line) from calls
          where ${ofCall} = new.${key} and phase in ('placing', 'ringing', 'answered'))
         + (select count(*) from campaign_recipients where ${ofClaim} = new.${key} and state = 'claimed');
       end if;
       return new;
     end $$`,
  ),
];
