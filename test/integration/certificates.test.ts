import { execFile } from 'node:child_process';
import { chmodSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readPostgresUrl } from '@outdial/core';
import { connect } from '@outdial/db';
import { freePort, installedBinaries } from '@outdial/local';
import { openPublisher, prepareQueueBackend } from '@outdial/queues';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createAuthority, hasOpenssl, type Authority } from '../support/certificates.ts';
import { childEnvironment } from '../support/child-environment.ts';
import { queueBackends } from '../support/queues.ts';
import { findRedis } from '../support/redis/find-redis.ts';
import { superviseRedis } from '../support/redis/supervise-redis.ts';
import { startOwnPostgres, type OwnPostgres } from '../support/services/own-postgres.ts';
import { waitFor } from '../support/stack/wait-for.ts';
import { recordingLog } from './queues.world.ts';

const run = promisify(execFile);

describe.skipIf(!hasOpenssl)('a certificate of an own authority', () => {
  let ca: Authority;
  let other: Authority;
  beforeAll(() => {
    ca = createAuthority();
    other = createAuthority();
  });
  afterAll(() => {
    ca.remove();
    other.remove();
  });

  describe('of Postgres', () => {
    let server: OwnPostgres;
    /** As `DATABASE_URL`, with these parameters. */
    const urlOf = (parameters: Record<string, string>, host = 'localhost') => {
      const { port } = new URL(server.url);
      const read = readPostgresUrl(
        `postgres://postgres@${host}:${port}/postgres?${new URLSearchParams(parameters).toString()}`,
      );
      if (read.kind !== 'ok') throw new Error(read.why);
      return read.url;
    };
    /** The name in the certificate that the server got from us, or why it let us not in. */
    async function connectTo(databaseUrl: string): Promise<string | null> {
      const db = connect({ databaseUrl, poolMax: 1 });
      try {
        const { rows } = await sql<{ ssl: boolean; client_dn: string | null }>`
          select ssl, client_dn from pg_stat_ssl where pid = pg_backend_pid()`.execute(db);
        expect(rows[0]?.ssl).toBe(true);
        return rows[0]?.client_dn ?? null;
      } finally {
        await db.destroy();
      }
    }

    beforeAll(async () => {
      const { certificate, key } = ca.issue('localhost');
      server = await startOwnPostgres(
        installedBinaries().native,
        () => undefined,
        (data) => {
          copyFileSync(certificate, join(data, 'server.crt'));
          copyFileSync(key, join(data, 'server.key'));
          copyFileSync(ca.certificate, join(data, 'root.crt'));
          chmodSync(join(data, 'server.key'), 0o600);
          // The test's own look whether it is up is without TLS.
          const rules = [
            'hostssl all postgres 127.0.0.1/32 trust',
            'hostssl all outdial 127.0.0.1/32 cert',
            'hostnossl postgres postgres 127.0.0.1/32 trust',
          ];
          writeFileSync(join(data, 'pg_hba.conf'), `${rules.join('\n')}\n`);
          return ['ssl=on', 'ssl_ca_file=root.crt'];
        },
      );
    });
    afterAll(() => server?.stop());

    test('is verified by sslrootcert', async () => {
      const verified = { sslmode: 'verify-full', sslrootcert: ca.certificate };
      expect(await connectTo(urlOf(verified))).toBeNull();
      await expect(connectTo(urlOf({ ...verified, sslrootcert: other.certificate }))).rejects.toThrow(
        /self-signed certificate|unable to verify|unable to get local issuer/,
      );
      await expect(connectTo(urlOf({ sslmode: 'verify-full' }))).rejects.toThrow(/certificate/);
      // The certificate is for localhost.
      await expect(connectTo(urlOf(verified, '127.0.0.1'))).rejects.toThrow(/altnames|IP/);
    });

    test('is verified for each of several hosts', async () => {
      const { port } = new URL(server.url);
      const hosts = `127.0.0.1:${port},localhost:${port}`;
      const read = readPostgresUrl(
        `postgres://postgres@${hosts}/postgres?sslmode=verify-full&sslrootcert=${ca.certificate}&target_session_attrs=read-write`,
      );
      if (read.kind !== 'ok') throw new Error(read.why);
      expect(await connectTo(read.url)).toBeNull();
    });

    test('may be required of the client, and the queues use the same', async () => {
      const admin = connect({ databaseUrl: server.url, poolMax: 1 });
      await sql`create role outdial login superuser`.execute(admin);
      await admin.destroy();
      const { certificate: sslcert, key: sslkey } = ca.issue('outdial');
      const parameters = { sslmode: 'verify-full', sslrootcert: ca.certificate, sslcert, sslkey };
      const url = urlOf(parameters).replace('postgres@', 'outdial@');
      expect(await connectTo(url)).toBe('/CN=outdial');
      const without = urlOf({ sslmode: 'verify-full', sslrootcert: ca.certificate });
      await expect(connectTo(without.replace('postgres@', 'outdial@'))).rejects.toThrow(/certificate/);

      await prepareQueueBackend({ kind: 'postgres', url });
      const publisher = openPublisher({ kind: 'postgres', url }, { log: recordingLog() });
      onTestFinished(() => publisher.close());
      // Within two seconds, which a busy machine may need for the handshake.
      await waitFor('an answer', () =>
        publisher.ping().then(
          () => true,
          () => false,
        ),
      );
    });
  });

  test.runIf(queueBackends().includes('redis'))('of Redis is verified by NODE_EXTRA_CA_CERTS', async () => {
    const found = await findRedis();
    if (found.state === 'missing') throw new Error(found.reason);
    const folder = mkdtempSync(join(tmpdir(), 'outdial-redis-tls-'));
    const { certificate, key } = ca.issue('localhost');
    const port = await freePort();
    const child = await superviseRedis(found.program, folder, {
      port: 0,
      'tls-port': port,
      'tls-cert-file': certificate,
      'tls-key-file': key,
      'tls-ca-cert-file': ca.certificate,
      'tls-auth-clients': 'no',
    });
    onTestFinished(async () => {
      await child.stop();
      rmSync(folder, { recursive: true, force: true });
    });
    // Node reads the variable when a process starts.
    const ping = (extra: string) =>
      run(
        process.execPath,
        [join(import.meta.dirname, '../support/redis/ping-queue.fixture.ts'), `rediss://localhost:${port}`],
        {
          env: { ...childEnvironment, NODE_EXTRA_CA_CERTS: extra },
          timeout: 120_000,
        },
      ).then(
        ({ stdout }) => stdout.trim(),
        (error: { stderr?: string }) => String(error.stderr),
      );
    await waitFor('an answer', async () => (await ping(ca.certificate)) === 'answers');
    expect(await ping(other.certificate)).toMatch(/certificate|issuer/);
  });
});
