import { connect } from '@outdial/db';
import { warnOfConnections } from '@outdial/service';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { createTestDatabase } from '../../support/database.ts';

type Warning = { limit_of: string; limit: number; open_by_others: number; wanted: number };

test('a process warns of each limit of Postgres that its pools and the open connections may exceed', async () => {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  const { databaseUrl } = database;
  const other = connect({ databaseUrl, poolMax: 2, poolMin: 2 });
  const db = connect({ databaseUrl, poolMax: 4 });
  onTestFinished(async () => {
    await other.destroy();
    await db.destroy();
  });
  await Promise.all([sql`select pg_sleep(0.1)`.execute(other), sql`select pg_sleep(0.1)`.execute(other)]);
  const warnings = async (
    poolMax: number,
    queue: Parameters<typeof warnOfConnections>[1]['queue'],
    of = db,
  ) => {
    const found: Warning[] = [];
    const log = { warn: (fields: object) => void found.push(fields as Warning) };
    await warnOfConnections(of, { log: log as never, poolMax, queue });
    return found;
  };
  const redis = { kind: 'redis', url: 'redis://127.0.0.1' } as const;
  const postgres = { kind: 'postgres', url: databaseUrl } as const;
  expect(await warnings(4, redis)).toEqual([]);
  expect(await warnings(10_000, redis)).toMatchObject([{ limit_of: 'server', wanted: 10_000 }]);

  const name = new URL(databaseUrl).pathname.slice(1);
  await sql`alter database ${sql.id(name)} connection limit 6`.execute(db);
  expect(await warnings(4, redis)).toEqual([]);
  const expected = { limit_of: 'database', limit: 6, open_by_others: 2 };
  expect(await warnings(5, redis)).toMatchObject([{ ...expected, wanted: 5 }]);
  expect(await warnings(4, postgres)).toMatchObject([{ ...expected, wanted: 9 }]);

  await sql`alter database ${sql.id(name)} connection limit -1`.execute(db);
  const role = `limited_${name}`;
  await sql`create role ${sql.id(role)} login password 'limited' connection limit 6`.execute(db);
  const url = new URL(databaseUrl);
  [url.username, url.password] = [role, 'limited'];
  const limited = connect({ databaseUrl: url.href, poolMax: 4 });
  const ofRole = { limit_of: 'role', limit: 6, open_by_others: 0 };
  try {
    expect(await warnings(6, redis, limited)).toEqual([]);
    expect(await warnings(7, redis, limited)).toMatchObject([{ ...ofRole, wanted: 7 }]);
    expect(await warnings(4, postgres, limited)).toMatchObject([{ ...ofRole, wanted: 9 }]);
  } finally {
    await limited.destroy();
    await sql`drop role ${sql.id(role)}`.execute(db);
  }
});
