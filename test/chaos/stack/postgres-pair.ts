import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installedBinaries } from '@outdial/local';
import { readPostgresUrl } from '@outdial/core';
import pg from 'pg';
import { startOwnPostgres, type OwnPostgres } from '../../support/services/own-postgres.ts';
import { again } from './again.ts';
import { variableOfPage } from './page-variables.ts';
import type { PostgresServer } from './postgres-server.ts';

/** A primary and its synchronous standby, which takes over after a crash. The url names both. */
export async function startPostgresPair(): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'outdial-pair-'));
  const programs = installedBinaries().native;
  // The standby begins with what initdb made for the primary, and so is the same system.
  const primary = await startOwnPostgres(
    programs,
    () => undefined,
    (data) => {
      cpSync(data, join(folder, 'data'), { recursive: true });
      return [];
    },
  );
  try {
    return await withStandby(primary, { programs, folder });
  } catch (error) {
    await primary.stop();
    throw error;
  }
}

async function withStandby(
  primary: OwnPostgres,
  { programs, folder }: { programs: string; folder: string },
): Promise<PostgresServer> {
  const { host, port } = new URL(primary.url);
  const standby = await startOwnPostgres(
    programs,
    () => undefined,
    (data) => {
      for (const name of readdirSync(data)) rmSync(join(data, name), { recursive: true });
      cpSync(join(folder, 'data'), data, { recursive: true });
      writeFileSync(join(data, 'standby.signal'), '');
      return [`primary_conninfo=host=127.0.0.1 port=${port} user=postgres`];
    },
  );
  await ask(primary, `alter system set synchronous_standby_names = '*'`);
  await ask(primary, 'select pg_reload_conf()');
  await again('the standby is synchronous', async () => {
    const states = await ask(primary, 'select sync_state from pg_stat_replication');
    if (states[0]?.['sync_state'] !== 'sync') throw new Error('it is not');
  });
  const read = readPostgresUrl(
    variableOfPage('DATABASE_URL', {
      'db1.example.com:5432': host,
      'db2.example.com:5432': new URL(standby.url).host,
      'outdial@': 'postgres@',
      '/outdial?': '/postgres?',
    }),
  );
  if (read.kind !== 'ok') throw new Error(read.why);
  return {
    databaseUrl: read.url,
    async crashAndRestart() {
      await primary.crash();
      await ask(standby, 'select pg_promote(true, 30)');
    },
    async stop() {
      await Promise.all([primary.stop(), standby.stop()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function ask({ url }: OwnPostgres, text: string): Promise<Array<Record<string, unknown>>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(text);
    return rows;
  } finally {
    await client.end();
  }
}
