import { readPostgresUrl } from '@outdial/core';
import { z } from 'zod';
import { envFragment } from './fragment.ts';
import { redisAddress } from './redis-url.ts';
import {
  choice,
  commaSeparated,
  flag,
  integer,
  optional,
  required,
  secret,
  text,
  url,
  withDefault,
} from './variable.ts';

const postgresUrl = z.string().transform((text, context) => {
  const read = readPostgresUrl(text);
  if (read.kind === 'ok') return read.url;
  context.addIssue({ code: 'custom', message: read.why });
  return z.NEVER;
});

const databaseUrl = required(
  postgresUrl,
  'postgres://outdial:outdial@localhost:5432/outdial',
  'The Postgres database. `npm start` runs its own and sets this. Several hosts: docs/operations/postgres-and-redis.md.',
);

const databasePassword = optional(
  secret(1),
  'the-password-of-the-user',
  'The password for a DATABASE_URL without one, so that the URL need not be secret.',
);

/** A password in the URL takes precedence. */
function withPassword(env: { DATABASE_URL: string; DATABASE_PASSWORD: string | undefined }): string {
  const parsed = new URL(env.DATABASE_URL);
  if (env.DATABASE_PASSWORD === undefined || parsed.password !== '') return env.DATABASE_URL;
  parsed.password = encodeURIComponent(env.DATABASE_PASSWORD);
  return parsed.href;
}

export const databaseEnv = envFragment(
  {
    DATABASE_URL: databaseUrl,
    DATABASE_PASSWORD: databasePassword,
    DATABASE_POOL_MAX: withDefault(
      integer(1, 1_000),
      '10',
      'Database connections of one process, not counting queues.',
    ),
    DATABASE_PREPARED: withDefault(
      flag,
      '1',
      '0 behind a pooler that loses prepared statements: pgbouncer before 1.21, or without max_prepared_statements.',
    ),
  },
  (env) => ({
    url: withPassword(env),
    poolMax: env.DATABASE_POOL_MAX,
    prepares: env.DATABASE_PREPARED,
  }),
);

/** Redis if REDIS_URL is set, else BullMQ's Postgres backend in the database. */
export const queueEnv = envFragment(
  {
    DATABASE_URL: databaseUrl,
    DATABASE_PASSWORD: databasePassword,
    REDIS_URL: optional(
      redisAddress,
      'redis://localhost:6379',
      'The Redis for the queues. Without it they are in the database.',
    ),
    REDIS_PREFIX: withDefault(text, 'outdial', 'First part of every key in Redis.'),
    REDIS_CLUSTER: withDefault(flag, '0', '1 if REDIS_URL names a node of a Redis Cluster.'),
    REDIS_SENTINEL: optional(
      text,
      'mymaster',
      'What Sentinels call the Redis, if REDIS_URL has their hosts: redis://:password@s1:26379,s2:26379,s3:26379.',
    ),
    REDIS_SENTINEL_PASSWORD: optional(
      secret(1),
      'the-password-of-the-sentinels',
      'The password of the Sentinels themselves, if they have one.',
    ),
    QUEUE_POOL_MAX: optional(
      integer(1, 100),
      '4',
      'Without Redis: connections that the queues of one process share. By default 2 to publish and 4 to consume.',
    ),
  },
  (env, report) => {
    if (env.REDIS_URL !== undefined) {
      const { url: redisUrl, hosts } = env.REDIS_URL;
      const name = env.REDIS_SENTINEL;
      if (name === undefined && hosts.length > 1) {
        report(
          'REDIS_SENTINEL',
          'is not set, and REDIS_URL has several hosts: set the name of the primary at its Sentinels',
        );
      }
      if (name !== undefined && env.REDIS_CLUSTER) report('REDIS_CLUSTER', 'and REDIS_SENTINEL are both set');
      const password = env.REDIS_SENTINEL_PASSWORD;
      return {
        kind: 'redis',
        url: redisUrl,
        prefix: env.REDIS_PREFIX,
        cluster: env.REDIS_CLUSTER,
        ...(name !== undefined && { sentinel: { name, hosts, ...(password !== undefined && { password }) } }),
      } as const;
    }
    const poolMax = env.QUEUE_POOL_MAX;
    return {
      kind: 'postgres',
      url: withPassword(env),
      ...(poolMax === undefined ? {} : { poolMax }),
    } as const;
  },
);

export const httpEnv = envFragment(
  {
    PORT: withDefault(integer(0, 65_535), '3000', 'Port of the api; 0 for any free one.'),
    HOST: withDefault(
      text,
      '127.0.0.1',
      'Address on which the api listens. By default only this machine can connect; use 0.0.0.0 in a container.',
    ),
    TRUSTED_PROXIES: withDefault(
      integer(0, 10),
      '0',
      'Proxies in front of the api that add the address of their caller to X-Forwarded-For. The audit log has the address that the first of them saw.',
    ),
    RATE_LIMITS: withDefault(choice(['on', 'off']), 'on', 'off if a proxy in front of the api limits rates.'),
    RATE_LIMIT_CREDENTIAL_PER_MINUTE: withDefault(
      integer(1, 10_000_000),
      '6000',
      'Requests per minute of one credential.',
    ),
    RATE_LIMIT_ORGANIZATION_PER_MINUTE: withDefault(
      integer(1, 10_000_000),
      '12000',
      'Requests per minute of one organization; `outdial org set --requests-per-minute` overrides it.',
    ),
    CORS_ORIGINS: optional(
      commaSeparated(),
      'https://app.example.com',
      'Origins that may call the api from a browser, separated by commas. Default: none.',
    ),
    JSON_BODY_LIMIT_BYTES: withDefault(
      integer(1_024, 1_073_741_824),
      '67108864',
      'The largest JSON body. A campaign of a million numbers takes about 16 MB.',
    ),
  },
  (env) => ({
    port: env.PORT,
    host: env.HOST,
    trustedProxies: env.TRUSTED_PROXIES,
    rateLimits:
      env.RATE_LIMITS === 'off'
        ? null
        : {
            credentialPerMinute: env.RATE_LIMIT_CREDENTIAL_PER_MINUTE,
            organizationPerMinute: env.RATE_LIMIT_ORGANIZATION_PER_MINUTE,
          },
    corsOrigins: env.CORS_ORIGINS ?? [],
    jsonBodyLimitBytes: env.JSON_BODY_LIMIT_BYTES,
  }),
);

export const engineEnv = envFragment(
  {
    CALL_QUEUE_TIMEOUT_SECONDS: withDefault(
      integer(1, 3_600),
      '60',
      'How long a direct call waits for a line before it is canceled.',
    ),
    WORKER_CONCURRENCY: withDefault(
      integer(1, 1_000),
      '100',
      'Calls that one worker sends to a provider at once, while it waits for the answers.',
    ),
  },
  (env) => ({
    callQueueTimeoutSeconds: env.CALL_QUEUE_TIMEOUT_SECONDS,
    workerConcurrency: env.WORKER_CONCURRENCY,
  }),
);

export const authEnv = envFragment(
  {
    JWT_SECRET: optional(
      secret(32),
      'a-secret-of-at-least-32-characters',
      'Verifies bearer tokens (HS256). Without it and JWKS_URL, only API keys are accepted.',
    ),
    JWT_SECRET_PREVIOUS: optional(
      secret(32),
      'the-secret-before-of-at-least-32-characters',
      'The former JWT_SECRET, until tokens signed with it have expired.',
    ),
    JWT_LONGEST_LIFE_MINUTES: withDefault(
      integer(1, 525_600),
      '1440',
      'Tokens with a longer lifetime are refused.',
    ),
    JWKS_URL: optional(
      url('http', 'https'),
      'https://id.example.com/.well-known/jwks.json',
      'Public keys that verify bearer tokens, instead of JWT_SECRET.',
    ),
    JWT_ISSUER: withDefault(text, 'outdial', 'The `iss` that a token must have.'),
    JWT_AUDIENCE: withDefault(text, 'outdial', 'The `aud` that a token must have.'),
  },
  (env, report) => {
    if (env.JWT_SECRET !== undefined && env.JWKS_URL !== undefined) {
      report('JWKS_URL', 'is set, and so is JWT_SECRET: only one of them can verify tokens');
    }
    if (env.JWT_SECRET_PREVIOUS !== undefined && env.JWT_SECRET === undefined) {
      report('JWT_SECRET_PREVIOUS', 'is set, and JWT_SECRET is not');
    }
    return {
      jwtSecret: env.JWT_SECRET,
      jwtSecretPrevious: env.JWT_SECRET_PREVIOUS,
      jwtLongestLifeMinutes: env.JWT_LONGEST_LIFE_MINUTES,
      jwksUrl: env.JWKS_URL,
      jwtIssuer: env.JWT_ISSUER,
      jwtAudience: env.JWT_AUDIENCE,
    };
  },
);

export interface OpsCredentials {
  /** Whether `/ops/queues` may change anything. */
  readonly queuesWritable?: boolean;
  readonly user: string;
  readonly password: string;
}

export const opsEnv = envFragment(
  {
    OPS_USER: optional(
      text,
      'ops',
      'User of /ops/queues and /metrics. Both are off unless user and password are set.',
    ),
    OPS_PASSWORD: optional(secret(8), 'change-this-password', 'Password of /ops/queues and /metrics.'),
    OPS_QUEUES_WRITABLE: withDefault(
      flag,
      '0',
      '1 lets operators retry, remove and add jobs at /ops/queues, which is read-only otherwise.',
    ),
  },
  (env, report): OpsCredentials | undefined => {
    if (env.OPS_USER === undefined && env.OPS_PASSWORD === undefined) return undefined;
    if (env.OPS_USER === undefined || env.OPS_PASSWORD === undefined) {
      report(env.OPS_USER === undefined ? 'OPS_USER' : 'OPS_PASSWORD', 'is not set, and its counterpart is');
      return undefined;
    }
    return { user: env.OPS_USER, password: env.OPS_PASSWORD, queuesWritable: env.OPS_QUEUES_WRITABLE };
  },
);

export const healthEnv = envFragment(
  {
    HEALTH_PORT: optional(
      integer(0, 65_535),
      '3001',
      'Scheduler, worker and voice serve /healthz, /readyz and /metrics on this port. Off unless set.',
    ),
    HEALTH_HOST: withDefault(
      text,
      '127.0.0.1',
      'Address of HEALTH_PORT. By default only this machine can connect; use 0.0.0.0 in a container, so that probes and Prometheus can.',
    ),
  },
  (env) => ({ port: env.HEALTH_PORT, host: env.HEALTH_HOST }),
);

export const logEnv = envFragment(
  {
    LOG_LEVEL: withDefault(
      choice(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
      'info',
      'The lowest level that is logged: fatal, error, warn, info, debug, trace or silent.',
    ),
  },
  (env) => ({ level: env.LOG_LEVEL }),
);
