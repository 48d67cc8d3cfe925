import { connect } from '@outdial/db';
import { readPostgresUrl } from '@outdial/core';
import { freePort, installedBinaries } from '@outdial/local';
import { openPublisher, prepareQueueBackend } from '@outdial/queues';
import { sql } from 'kysely';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { startOwnPostgres, type OwnPostgres } from '../../support/services/own-postgres.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { recordingLog } from '../queues.world.ts';

async function useServer(): Promise<OwnPostgres> {
  const server = await startOwnPostgres(installedBinaries().native);
  onTestFinished(() => server.stop());
  return server;
}

/** Makes a server refuse writes, as a standby does, or accept them, and ends its sessions. */
async function setReadOnly({ url }: OwnPostgres, isReadOnly: boolean): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('set default_transaction_read_only = off');
  await client.query(`alter system set default_transaction_read_only = ${isReadOnly ? 'on' : 'off'}`);
  await client.query('select pg_reload_conf()');
  await client.query(
    `select pg_terminate_backend(pid, 60000) from pg_stat_activity where pid <> pg_backend_pid() and backend_type = 'client backend'`,
  );
  await client.end();
}

/** The url with all servers as its hosts. */
function urlOf(...hosts: string[]): string {
  const read = readPostgresUrl(
    `postgres://postgres@${hosts.join(',')}/postgres?target_session_attrs=read-write`,
  );
  if (read.kind !== 'ok') throw new Error(read.why);
  return read.url;
}

test(
  'the database and its queues are found on the host that accepts writes, also after it has changed',
  { timeout: 120_000 },
  async () => {
    const [first, second] = await Promise.all([useServer(), useServer()]);
    for (const { url } of [first, second]) {
      await prepareQueueBackend({ kind: 'postgres', url });
      const db = connect({ databaseUrl: url, poolMax: 1 });
      await sql`create table written (at timestamptz not null default now())`.execute(db);
      await db.destroy();
    }
    await setReadOnly(first, true);
    const databaseUrl = urlOf(
      `127.0.0.1:${await freePort()}`,
      new URL(first.url).host,
      new URL(second.url).host,
    );
    const db = connect({ databaseUrl, poolMax: 3 });
    onTestFinished(() => db.destroy());
    const port = async () => {
      const { rows } = await sql<{ port: number }>`
        with w as (insert into written default values) select inet_server_port() as port`.execute(db);
      return rows[0]?.port;
    };
    const portOf = ({ url }: OwnPostgres) => Number(new URL(url).port);
    expect(await Promise.all([port(), port(), port()])).toEqual(
      Array.from({ length: 3 }, () => portOf(second)),
    );

    const publisher = openPublisher({ kind: 'postgres', url: databaseUrl }, { log: recordingLog() });
    onTestFinished(() => publisher.close());
    await publisher.ping();

    await setReadOnly(second, true);
    await setReadOnly(first, false);
    const changed = await waitFor('the first host', async () => {
      const answer = await port().catch(() => null);
      return answer === portOf(first) ? answer : null;
    });
    expect(changed).toBe(portOf(first));
    await waitFor('the queue', () =>
      publisher.ping().then(
        () => true,
        () => false,
      ),
    );
  },
);

test('a database without a host that accepts writes says so', async () => {
  const server = await useServer();
  await setReadOnly(server, true);
  const { host } = new URL(server.url);
  const db = connect({ databaseUrl: urlOf(host, host), poolMax: 1 });
  onTestFinished(() => db.destroy());
  await expect(sql`select 1`.execute(db)).rejects.toThrow(
    'none of the 2 hosts of the database accepts writes',
  );
});
