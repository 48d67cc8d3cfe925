import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { createTestDatabase, LeakedConnectionsError, useTestDatabase } from '../support/database.ts';
import { queueBackends, testRedis } from '../support/queues.ts';
import { Redis } from 'ioredis';

const database = await useTestDatabase();

async function query(databaseUrl: string, sql: string) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

describe('a test database', () => {
  test('is migrated', async () => {
    const rows = await query(database.databaseUrl, "select to_regclass('campaigns') is not null as there");
    expect(rows).toEqual([{ there: true }]);
  });

  test('is seen by its own file only', async () => {
    const other = await createTestDatabase();
    await query(database.databaseUrl, 'create table here (id int)');
    const rows = await query(other.databaseUrl, "select to_regclass('here') is null as absent");
    expect(rows).toEqual([{ absent: true }]);
    await other.drop();
  });

  test('reports a leaked connection, and is still dropped', async () => {
    const leaky = await createTestDatabase({ migrated: false, closesWithinMs: 100 });
    const left = new pg.Client({ connectionString: leaky.databaseUrl, application_name: 'forgotten' });
    left.on('error', () => {});
    await left.connect();
    await expect(leaky.drop()).rejects.toThrow(LeakedConnectionsError);
    const rows = await query(
      database.databaseUrl,
      `select count(*)::int as left from pg_database where datname = '${leaky.name}'`,
    );
    expect(rows).toEqual([{ left: 0 }]);
  });
});

describe.runIf(queueBackends().includes('redis'))('the Redis of the run', () => {
  test('answers, and never evicts keys, as BullMQ requires', async () => {
    const redis = new Redis(testRedis().url);
    expect(await redis.ping()).toBe('PONG');
    redis.disconnect();
  });
});
