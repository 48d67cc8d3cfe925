import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { connect } from '@outdial/db';
import { apiWorld } from './api-world.ts';

const { client, db, organization, databaseUrl } = await apiWorld();

/** Which a request needs before it is a read of its organization. */
const tablesOfCredentials = ['api_keys', 'users', 'organizations'];

/** Locks every table but these, runs `work`, and unlocks them. */
async function whileLocked(work: () => Promise<void>): Promise<void> {
  const locker = connect({ databaseUrl, poolMax: 1, applicationName: 'locker' });
  try {
    await locker.transaction().execute(async (tx) => {
      await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);
      const { rows } = await sql<{ name: string }>`
        select tablename as name from pg_tables where schemaname = 'public' and tablename <> all(${tablesOfCredentials})`.execute(
        tx,
      );
      await sql`lock table ${sql.join(rows.map(({ name }) => sql.table(name)))} in access exclusive mode`.execute(
        tx,
      );
      await work();
    });
  } finally {
    await locker.destroy();
  }
}

async function waitingStatements(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from pg_stat_activity
    where application_name = 'api-test' and datname = current_database() and wait_event_type = 'Lock'`.execute(
    db,
  );
  return rows[0]?.count ?? -1;
}

/** False if the answer came instead. */
async function waits(answer: Promise<unknown>): Promise<boolean> {
  let isAnswered = false;
  void answer.then(() => (isAnswered = true));
  await expect.poll(async () => isAnswered || (await waitingStatements()) > 0).toBe(true);
  return !isAnswered;
}

test('a caller who leaves ends the statement of every read', { timeout: 300_000 }, async () => {
  const acme = await organization();
  const reads = Object.entries(client.document.paths).flatMap(([path, item]) =>
    Object.keys(item).includes('get') ? [path.replaceAll(/\{\w+\}/g, randomUUID())] : [],
  );
  const ended: string[] = [];
  await whileLocked(async () => {
    for (const path of reads) {
      const left = new AbortController();
      const answer = fetch(client.base + path, {
        headers: { 'X-API-Key': acme.keys.admin },
        signal: left.signal,
      }).then(
        () => 'answered',
        () => 'left',
      );
      // Some check the path first, or read only the tables of credentials.
      if (!(await waits(answer))) continue;
      left.abort();
      await expect.poll(waitingStatements, { message: path }).toBe(0);
      ended.push(path);
    }
  });
  expect(ended.length).toBeGreaterThan(reads.length / 2);
});

test('twenty slow reads of an organization leave connections for the others', async () => {
  const [acme, other] = [await organization(), await organization()];
  const left = new AbortController();
  await whileLocked(async () => {
    const slow = Array.from({ length: 20 }, () =>
      fetch(`${client.base}/api/v1/campaigns`, {
        headers: { 'X-API-Key': acme.keys.viewer },
        signal: left.signal,
      }).catch(() => undefined),
    );
    await expect.poll(waitingStatements).toBe(5);
    const { status } = await client.send('GET /api/v1/users', { key: other.keys.admin });
    expect(status).toBe(200);
    expect(await waitingStatements()).toBe(5);
    left.abort();
    await Promise.all(slow);
  });
});
