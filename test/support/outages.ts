import type { Db } from '@outdial/db';
import { sql } from 'kysely';

/** Makes the last sweep this many seconds old. Heartbeats stay as they are. */
export const unreachedFor = (db: Db, seconds: number) =>
  sql`update outage_watch set reached_at = clock_timestamp() - ${seconds} * interval '1 second'`.execute(db);

/** Simulates that Postgres returned this many seconds ago, and that sweeps have run since. */
export const reachedFor = (db: Db, seconds: number) =>
  sql`
    insert into outage_watch (unbroken_since) values (clock_timestamp() - ${seconds} * interval '1 second')
    on conflict (only_row) do update set reached_at = excluded.reached_at, unbroken_since = excluded.unbroken_since`.execute(
    db,
  );
