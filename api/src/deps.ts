import type { KnownEndpoints } from '@outdial/contracts';
import type { Clock, FileStore, TelephonyProvider } from '@outdial/core';
import type { Db, ItemLimits } from '@outdial/db';
import type { OpsQueues, Publisher } from '@outdial/queues';
import type { Logger, Metrics, OpsCredentials } from '@outdial/runtime';
import type { LongAnswers } from './http/long-answers.ts';
import type { RateLimits } from './http/rate-limits/rate-limits.ts';
import type { StreamSlots } from './http/stream-slots.ts';
import type { Readiness } from '@outdial/service';
import type { OidcConfig } from './console/oidc-config.ts';
import type { JwtConfig } from './http/token.ts';

/** The dependencies of the app. Only `main.ts` and tests create them. */
export interface ApiDeps {
  readonly db: Db;
  readonly publisher: Publisher;
  readonly files: FileStore;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly config: ApiConfig;
  /** Limits the rates of callers. Absent if a proxy does. */
  readonly rateLimits?: RateLimits | null;
  /** By the name of their row in `providers`. Recordings are read through them. */
  readonly providers: ReadonlyMap<string, TelephonyProvider>;
  readonly queues: OpsQueues | null;
  /** By default created from the others. */
  readonly readiness?: Readiness;
}

/** The dependencies of a route's handler: those of the app and those that all routes share. */
export interface RouteDeps extends ApiDeps {
  readonly longAnswers: LongAnswers;
  readonly streams: StreamSlots;
}

export interface ApiConfig {
  /** The base of URLs in answers; null for the address of the request. */
  readonly publicUrl: string | null;
  /** How many proxies in front tell the address of their caller; none by default. */
  readonly trustedProxies?: number;
  /** The provider of calls if neither agent nor organization names one. */
  readonly installationProvider: string;
  /** How long a direct call waits for a line. */
  readonly callQueueTimeoutSeconds: number;
  /** How long a call may ring and last, for effects of providers' events; by default that of the settings. */
  readonly callTimes?: { readonly ringTimeoutSeconds: number; readonly maxCallSeconds: number };
  readonly jsonBodyLimitBytes: number;
  /** The largest file of a multipart form. */
  readonly uploadLimitBytes: number;
  /** Verifies the tokens of voice runtimes; null to refuse them all. */
  readonly knowledgeTokenSecret?: string | null;
  /** Signs the tokens that name a call to a voice process. Without it there are no calls in browsers. */
  readonly callTokenSecret?: string | null;
  /** The endpoints that agents may name in `config.voice`. Null if this process has no list, so that names are checked when a call begins. */
  readonly voiceEndpoints?: KnownEndpoints | null;
  readonly itemLimits: ItemLimits;
  /** Origins that may call from browsers; none by default. */
  readonly corsOrigins: readonly string[];
  readonly jwt: JwtConfig | null;
  /** Allows webhook endpoints at addresses that are not public. Off by default. */
  readonly allowPrivateWebhooks?: boolean;
  /** Sign-in for the console with an identity provider. Without it, users sign in with a key or a link. */
  readonly oidc?: OidcConfig | null;
  /** The credential for `/ops/queues` and `/metrics`; null disables them. */
  readonly ops: OpsCredentials | null;
}
