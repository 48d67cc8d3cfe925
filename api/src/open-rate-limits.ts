import { type Db, openPool } from '@outdial/db';
import type { ProcessContext } from '@outdial/runtime';
import { RateLimiterPostgres } from 'rate-limiter-flexible';
import type { ApiEnv } from './env.ts';
import { type RateLimits, type RateLimitSettings, rateLimits } from './http/rate-limits/rate-limits.ts';

/** The shared counter decides by these limits; the library's own limit is never reached. */
const NO_LIMIT = 2_000_000_000;
const CONNECTIONS = 2;
const COMPLAIN_EVERY_MS = 60_000;

/** Counts requests in the database, over all processes of the api. */
export function openRateLimits(
  { env, log, shutdown }: ProcessContext<ApiEnv>,
  db: Db,
  settings: RateLimitSettings,
): RateLimits {
  const pool = openPool({
    databaseUrl: env.database.url,
    poolMax: CONNECTIONS,
    applicationName: 'outdial-rate-limits',
  });
  shutdown.add('rate limits', () => pool.end());
  const counter = new RateLimiterPostgres({
    storeClient: pool,
    storeType: 'pool',
    tableName: 'rate_limits',
    tableCreated: true,
    keyPrefix: 'http',
    points: NO_LIMIT,
    duration: 60,
  });
  let complainedAt = Number.NEGATIVE_INFINITY;
  const onFailure = (error: unknown) => {
    if (performance.now() - complainedAt < COMPLAIN_EVERY_MS) return;
    complainedAt = performance.now();
    log.warn({ err: error }, 'rate limits are counted in this process only');
  };
  return rateLimits({ db, counter, onFailure }, settings);
}
