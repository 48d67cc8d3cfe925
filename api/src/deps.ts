import type { Clock, TelephonyProvider } from '@outdial/core';
import type { Db } from '@outdial/db';
import type { OpsQueues, Publisher } from '@outdial/queues';
import type { Options as PinoHttpOptions } from 'pino-http';
import type { JwtConfig } from './http/token.ts';

/** A pino logger. */
export type ApiLog = NonNullable<PinoHttpOptions['logger']>;

/** What `/metrics` shows; a registry of prom-client has it. */
export interface MetricsPage {
  readonly contentType: string;
  metrics(): Promise<string>;
}

/** What the app needs of the world. Only `main.ts` and tests put it together. */
export interface ApiDeps {
  readonly db: Db;
  readonly publisher: Publisher;
  readonly clock: Clock;
  readonly log: ApiLog;
  readonly metrics: MetricsPage;
  readonly config: ApiConfig;
  /** By the name of their row in `providers`; recordings are read through them. */
  readonly providers: ReadonlyMap<string, TelephonyProvider>;
  /** For the pages of operators and for `/readyz`. */
  readonly queues: OpsQueues | null;
}

export interface ApiConfig {
  /** The base of addresses in answers; null takes the one that the request came to. */
  readonly publicUrl: string | null;
  readonly jsonBodyLimitBytes: number;
  /** The largest file of a multipart form. */
  readonly uploadLimitBytes: number;
  /** Origins that browsers may call from; none by default. */
  readonly corsOrigins: readonly string[];
  readonly jwt: JwtConfig | null;
  /** Who may see `/ops/queues` and `/metrics`; null turns them off. */
  readonly ops: { readonly user: string; readonly password: string } | null;
}
