import { describe, expect, test } from 'vitest';
import { authEnv, databaseEnv, engineEnv, httpEnv, opsEnv, queueEnv } from './fragments.ts';
import { EnvError, loadEnv } from './load-env.ts';
import { oidcEnv } from './oidc-fragment.ts';

const DATABASE_URL = 'postgres://u:database-password@db/outdial'; // secretlint-disable-line -- made up

function faultsOf(load: () => unknown): readonly string[] {
  try {
    load();
  } catch (error) {
    if (error instanceof EnvError) {
      return error.faults;
    }
    throw error;
  }
  return [];
}

describe('loadEnv', () => {
  test('uses defaults for missing and empty variables', () => {
    const env = loadEnv(
      { database: databaseEnv, engine: engineEnv },
      { DATABASE_URL, CALL_QUEUE_TIMEOUT_SECONDS: ' ' },
    );
    expect(env).toEqual({
      database: { url: DATABASE_URL, poolMax: 10, prepares: true },
      engine: { callQueueTimeoutSeconds: 60, workerConcurrency: 100 },
    });
  });

  test('names every fault once, without the values', () => {
    const faults = faultsOf(() =>
      loadEnv(
        { database: databaseEnv, queue: queueEnv, http: httpEnv, auth: authEnv },
        {
          DATABASE_URL: 'mysql://u:database-password@db', // secretlint-disable-line -- made up
          PORT: '99999',
          JWT_SECRET: 'short-secret',
          REDIS_CLUSTER: 'on',
        },
      ),
    );
    expect(faults).toEqual([
      'DATABASE_URL: must be a url that begins with postgres:// or postgresql://',
      'REDIS_CLUSTER: must be one of 0, 1, false, true',
      'PORT: must be a whole number from 0 to 65535',
      'JWT_SECRET: must have at least 32 characters',
    ]);
    expect(faults.join()).not.toMatch(/password|short-secret|99999/);
  });

  test.each(['-1', '1.5', '1e3', 'abc', '0x10', '99999999999999999999'])('%s is not a port', (PORT) => {
    expect(faultsOf(() => loadEnv({ http: httpEnv }, { PORT }))).toEqual([
      'PORT: must be a whole number from 0 to 65535',
    ]);
  });

  test('queues live in Redis when it is named, else in the database', () => {
    const redis = loadEnv({ queue: queueEnv }, { DATABASE_URL, REDIS_URL: 'redis://r', REDIS_CLUSTER: '1' });
    expect(redis.queue).toEqual({ kind: 'redis', url: 'redis://r', prefix: 'outdial', cluster: true });
    const postgres = loadEnv({ queue: queueEnv }, { DATABASE_URL, REDIS_URL: '' });
    expect(postgres.queue).toEqual({ kind: 'postgres', url: DATABASE_URL });
  });

  test('the hosts of Redis are Sentinels if they are said to be', () => {
    const REDIS_URL = 'redis://:pw@s1,s2:26380/2'; // secretlint-disable-line -- made up
    const given = {
      DATABASE_URL,
      REDIS_URL,
      REDIS_SENTINEL: 'mymaster',
      REDIS_SENTINEL_PASSWORD: 'of-sentinels',
    };
    expect(loadEnv({ queue: queueEnv }, given).queue).toMatchObject({
      url: 'redis://:pw@s1/2', // secretlint-disable-line -- made up
      sentinel: {
        name: 'mymaster',
        password: 'of-sentinels',
        hosts: [
          { host: 's1', port: 26_379 },
          { host: 's2', port: 26_380 },
        ],
      },
    });
    const faults = (env: Record<string, string>) =>
      faultsOf(() => loadEnv({ queue: queueEnv }, { DATABASE_URL, ...env }));
    expect(faults({ REDIS_URL })).toEqual([
      'REDIS_SENTINEL: is not set, and REDIS_URL has several hosts: set the name of the primary at its Sentinels',
    ]);
    expect(faults({ REDIS_URL: 'redis://s1,:1' })).toEqual([
      'REDIS_URL: must have hosts like host or host:port',
    ]);
    expect(faults({ REDIS_URL: 'http://s1' })).toEqual([
      'REDIS_URL: must be a url that begins with redis:// or rediss://',
    ]);
  });

  test('a database may have several hosts, and its password apart', () => {
    const { database, queue } = loadEnv(
      { database: databaseEnv, queue: queueEnv },
      {
        DATABASE_URL: 'postgres://u@a,b:5433/outdial',
        DATABASE_PASSWORD: 'a/b@c:d%e',
        DATABASE_PREPARED: '0',
      },
    );
    const url = 'postgres://u:a%2Fb%40c%3Ad%25e@a/outdial?hosts=a%2Cb%3A5433'; // secretlint-disable-line -- made up
    expect(database).toEqual({ url, poolMax: 10, prepares: false });
    expect(queue).toMatchObject({ kind: 'postgres', url });
    const own = loadEnv({ database: databaseEnv }, { DATABASE_URL, DATABASE_PASSWORD: 'another' });
    expect(own.database.url).toBe(DATABASE_URL);
  });

  test('an issuer is trusted for domains only by its own name, and never for all tenants', () => {
    const oidc = { OIDC_ISSUER: 'https://id.example.com/', OIDC_CLIENT_ID: 'outdial' };
    const trust = (value: string) =>
      loadEnv({ oidc: oidcEnv }, { ...oidc, OIDC_TRUSTED_EMAIL_DOMAINS: value });
    expect(trust('https://id.example.com=Example.com, example.org').oidc?.trustedFor?.domains).toEqual([
      'example.com',
      'example.org',
    ]);
    expect(loadEnv({ oidc: oidcEnv }, oidc).oidc?.trustedFor).toBeNull();
    for (const [value, fault] of [
      ['https://other.example.com=example.com', 'names another issuer than OIDC_ISSUER'],
      ['https://login.microsoftonline.com/common/v2.0=example.com', 'must name the issuer of one tenant'],
      ['example.com', 'must be an issuer, "=" and the domains'],
      ['https://id.example.com=', 'must be an issuer, "=" and the domains'],
      ['https://id.example.com=*.com', 'must be an issuer, "=" and the domains'],
      ['https://id.example.com=com', 'must be an issuer, "=" and the domains'],
    ] as const) {
      expect(faultsOf(() => trust(value)).join()).toContain(`OIDC_TRUSTED_EMAIL_DOMAINS: ${fault}`);
    }
  });

  test('reports settings that contradict each other', () => {
    expect(faultsOf(() => loadEnv({ ops: opsEnv }, { OPS_USER: 'ops' }))).toEqual([
      'OPS_PASSWORD: is not set, and its counterpart is',
    ]);
    expect(
      faultsOf(() => loadEnv({ auth: authEnv }, { JWT_SECRET: 'x'.repeat(32), JWKS_URL: 'https://id/jwks' })),
    ).toEqual(['JWKS_URL: is set, and so is JWT_SECRET: only one of them can verify tokens']);
  });
});
