import { sql } from 'kysely';
import type { Executor } from '../transaction.ts';

/** How many sessions may be open at once, and how many are, by whom they are limited. */
export interface ConnectionLimit {
  of: 'server' | 'role' | 'database';
  limit: number;
  open: number;
}

/** The limits of the server, without the connections that it reserves, of our role and of our database. Null limits are left out. */
export async function readConnectionLimits(db: Executor): Promise<ConnectionLimit[]> {
  const { rows } = await sql<ConnectionLimit>`
    with sessions as materialized (
      select usesysid, datid from pg_stat_activity
      -- Without the rights to see it, the type of others' sessions is null.
      where usesysid is not null and coalesce(backend_type, 'client backend') = 'client backend'),
    ours as (select r.oid as role_id, r.rolconnlimit, d.oid as database_id, d.datconnlimit
      from pg_roles r, pg_database d where r.rolname = current_user and d.datname = current_database())
    select 'server' as of,
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        - coalesce(current_setting('reserved_connections', true)::int, 0) as limit,
      (select count(*)::int from sessions) as open
    union all
    select 'role', rolconnlimit, (select count(*)::int from sessions where usesysid = role_id) from ours where rolconnlimit >= 0
    union all
    select 'database', datconnlimit, (select count(*)::int from sessions where datid = database_id) from ours
    where datconnlimit >= 0`.execute(db);
  return rows;
}
