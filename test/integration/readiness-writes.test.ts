import { connect } from '@outdial/db';
import { openPublisher, type QueueBackendConfig } from '@outdial/queues';
import { answerOfReadiness } from '@outdial/runtime';
import { createReadiness } from '@outdial/service';
import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { queueBackends } from '../support/queues.ts';
import { startRedisPair } from '../support/redis/redis-pair.ts';
import { freshBackend } from './queues.backends.ts';
import { recordingLog } from './queues.world.ts';

/** A service on a database of its own; its queues are on the given backend. */
async function setup(queue: QueueBackendConfig) {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  const open = (applicationName: string) => {
    const db = connect({ databaseUrl: database.databaseUrl, applicationName });
    onTestFinished(() => db.destroy());
    return db;
  };
  const publisher = openPublisher(queue, { log: recordingLog() });
  onTestFinished(() => publisher.close());
  const warned: object[] = [];
  const log = { info: () => undefined, warn: (fields: object) => void warned.push(fields) };
  const readiness = createReadiness({ db: open('service'), publisher, log });
  return { operator: open('operator'), database, readiness, warned, faults: () => readiness.faults() };
}

test('a read-only Postgres is not ready, for the database and its queue, and is ready again when it is promoted', async () => {
  const { config, dispose } = await freshBackend('postgres');
  onTestFinished(dispose);
  const { operator, database, faults } = await setup(config);
  await expect.poll(faults).toEqual({});
  await sql`alter database ${sql.id(database.name)} set default_transaction_read_only = on`.execute(operator);
  await sql`select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name = 'service' and datname = current_database()`.execute(
    operator,
  );
  await expect.poll(faults).toEqual({ database: 'is read-only: a standby, or a primary that was demoted' });
  await sql`alter database ${sql.id(database.name)} reset default_transaction_read_only`.execute(operator);
  await expect.poll(faults).toEqual({});
});

describe.runIf(queueBackends().includes('redis'))('a Redis that answers and takes no jobs', () => {
  test('is not ready, and the reason is named: a replica, no memory, a user without rights', async () => {
    const pair = await startRedisPair();
    onTestFinished(() => pair.stop());
    const [node, other] = pair.nodes;
    const redis = node.client();
    await redis.call('acl', 'setuser', 'outdial', 'on', '>secret', '~*', '&*', '+@all');
    const url = new URL(node.url);
    url.username = 'outdial';
    url.password = 'secret';
    const { faults } = await setup({ kind: 'redis', url: url.href, prefix: 'outdial' });
    await expect.poll(faults).toEqual({});

    await other.promote();
    await node.follow(other);
    await expect.poll(faults).toEqual({ queue: 'is a read-only replica' });
    await node.promote();
    await expect.poll(faults).toEqual({});

    await redis.config('SET', 'maxmemory', '1');
    await expect.poll(faults).toEqual({ queue: 'has no memory left' });
    await redis.config('SET', 'maxmemory', '0');
    await expect.poll(faults).toEqual({});

    await redis.call('acl', 'setuser', 'outdial', '-@write');
    await expect.poll(faults).toEqual({ queue: 'does not let the user write' });
    await redis.call('acl', 'setuser', 'outdial', '+@all');
    await expect.poll(faults).toEqual({});
  });

  test('that may evict jobs is ready, and a warning says what to change', async () => {
    const pair = await startRedisPair();
    onTestFinished(() => pair.stop());
    const [node] = pair.nodes;
    await node.client().config('SET', 'maxmemory-policy', 'allkeys-lru');
    const { readiness, faults, warned } = await setup({ kind: 'redis', url: node.url, prefix: 'outdial' });
    await expect.poll(faults).toEqual({});
    await faults();
    const queue = 'may evict jobs: set its maxmemory-policy to noeviction, not allkeys-lru';
    expect(readiness.warnings()).toEqual({ queue });
    // Once, and not for each check.
    expect(warned.filter((line) => 'warning' in line)).toEqual([{ check: 'queue', warning: queue }]);
    expect(answerOfReadiness({}, readiness.warnings())).toEqual({
      status: 200,
      body: { status: 'ready', warnings: { queue } },
    });
  });
});
