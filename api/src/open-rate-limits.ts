import { type Db, openPool } from '@outdial/db';
import type { ProcessContext } from '@outdial/runtime';
import { RateLimiterPostgres } from 'rate-limiter-flexible';
import type { ApiEnv } from './env.ts';
import { type RateLimits, type RateLimitSettings, rateLimits } from './http/rate-limits/rate-limits.ts';

/** The shared counter decides by these limits; the library's own limit is never reached. */
const noLimit = 2_000_000_000;
const connections = 2;
const complainEveryMs = 60_000;

/** Counts requests in the database, over all processes of the api. */
export function openRateLimits(
  { env, log, shutdown }: ProcessContext<ApiEnv>,
  db: Db,
  settings: RateLimitSettings,
): RateLimits {
  const pool = openPool({
    databaseUrl: env.database.url,
    poolMax: connections,
    applicationName: 'outdial-rate-limits',
  });
  shutdown.add('rate limits', () => pool.end());
  const counter = new RateLimiterPostgres({
    storeClient: pool,
    storeType: 'pool',
    tableName: 'rate_limits',
    tableCreated: true,
    keyPrefix: 'http',
    points: noLimit,
    duration: 60,
  });
  let complainedAt = Number.NEGATIVE_INFINITY;
  const onFailure = (error: unknown) => {
    if (performance.now() - complainedAt < complainEveryMs) return;
    complainedAt = performance.now();
    log.warn({ err: error }, 'rate limits are counted in this process only');
  };
  return rateLimits({ db, counter, onFailure }, settings);
}
