import type { Db } from '@outdial/db';
import { sql } from 'kysely';

/** As if no sweep had reached Postgres in these last seconds. What processes wrote before is for the test to make older. */
export const unreachedFor = (db: Db, seconds: number) =>
  sql`update outage_watch set reached_at = clock_timestamp() - ${seconds} * interval '1 second'`.execute(db);

/** As if sweeps had reached Postgres every two seconds in the last ones, and not before. */
export const reachedFor = (db: Db, seconds: number) =>
  sql`
    insert into outage_watch (unbroken_since) values (clock_timestamp() - ${seconds} * interval '1 second')
    on conflict (only_row) do update set reached_at = excluded.reached_at, unbroken_since = excluded.unbroken_since`.execute(
    db,
  );
