import { sql, type Kysely } from 'kysely';

/**
 * Lines of organizations and providers are counted only where they have a cap: a row that everybody writes is what fills first.
 * Frozen: a change is a new migration.
 *
 * Whoever takes or gives back lines holds the caps in share mode (advisory lock 1, 0) from before it reads them to its commit. Setting
 * a cap holds them alone, by trigger, so that no path can forget it: the lines that are out by then are counted, and whoever comes
 * after it counts with the cap. Counters without a cap stay at what they were: processes of the version before, which may still run,
 * count with them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  // Who comes while somebody waits for the lock alone waits as well: so it is waited for briefly, again and again, until
  // whoever holds it for long (a config that settles a million recipients) is done. No dial is late by more than the fifth of a second.
  `create function hold_line_caps() returns trigger language plpgsql as $$
   declare
     timeout_before text := current_setting('lock_timeout');
   begin
     for attempt in 1..100 loop
       begin
         perform set_config('lock_timeout', '200ms', true);
         perform pg_advisory_xact_lock(1, 0);
         perform set_config('lock_timeout', timeout_before, true);
         return null;
       exception when lock_not_available then
         perform pg_sleep(0.1);
       end;
     end loop;
     raise exception 'the lines of this installation were being counted for half a minute: set the cap again'
       using errcode = 'lock_not_available';
   end $$`,

  ...[
    { table: 'providers', key: 'name', ofCall: 'provider', ofClaim: 'claim_provider' },
    { table: 'organizations', key: 'id', ofCall: 'organization_id', ofClaim: 'organization_id' },
  ].flatMap(({ table, key, ofCall, ofClaim }) => [
    `create trigger ${table}_hold_line_caps before update of max_lines on ${table}
       for each statement execute function hold_line_caps()`,
    // Its queries see what was committed before them, not before the statement: a volatile function takes a snapshot for each.
    `create function count_lines_of_${table}() returns trigger language plpgsql volatile as $$
     begin
       if new.max_lines is null then new.lines_in_use := 0;
       elsif old.max_lines is null then new.lines_in_use :=
         (select count(*) from calls where ${ofCall} = new.${key} and phase in ('placing', 'ringing', 'answered'))
         + (select count(*) from campaign_recipients where ${ofClaim} = new.${key} and state = 'claimed');
       end if;
       return new;
     end $$`,
    `create trigger ${table}_count_lines before update of max_lines on ${table}
       for each row when (new.max_lines is distinct from old.max_lines)
       execute function count_lines_of_${table}()`,
  ]),
];
