import {
  engineNow,
  recordAttempts,
  type ClaimedDelivery,
  type Db,
  type DeliveryAttempt,
  type UrlHealth,
} from '@outdial/db';
import { failingTooLongSince, nextAttempt } from './retry-schedule.ts';
import type { Attempt } from './webhook-client.ts';

export interface LedgerDeps {
  db: Db;
  /** From 0 to 1. */
  random: () => number;
  log: { warn(fields: object, message: string): void };
  onAttempt(result: DeliveryAttempt['result'], durationMs: number): void;
}

/** Collects the results of an endpoint's deliveries, and writes them in batches. */
export interface AttemptLedger {
  tried(delivery: ClaimedDelivery, url: string, attempt: Attempt): void;
  /** The delivery was claimed but not sent. */
  untried(delivery: ClaimedDelivery): void;
  hasUnwritten(): boolean;
  write(): Promise<void>;
  /** Writes them in the background, in batches, while sending continues. Rejects if an earlier write has failed. */
  writeWhenDue(): Promise<void>;
  /** The endpoint was disabled because of its answer. */
  isDisabled(): boolean;
  counts(): { delivered: number; failed: number };
}

const writeAtOnce = 100;
const writeEveryMs = 25;

export function createAttemptLedger(deps: LedgerDeps, endpointId: string): AttemptLedger {
  let writing: Promise<void> = Promise.resolve();
  let isWriting = false;
  let writtenAt = performance.now();
  let tried: Array<{ delivery: ClaimedDelivery; url: string; attempt: Attempt }> = [];
  let untried: string[] = [];
  let disabled = false;
  const counts = { delivered: 0, failed: 0 };

  async function writeAll(): Promise<void> {
    writtenAt = performance.now();
    if (tried.length === 0 && untried.length === 0) return;
    const batch = { tried, untried };
    tried = [];
    untried = [];
    const now = await engineNow(deps.db);
    const attempts = batch.tried.map(({ delivery, attempt }) => judge(delivery, attempt, now, deps.random()));
    const urls = [...Map.groupBy(batch.tried, ({ url }) => url)].map(([url, sent]) => ({
      url,
      health: healthAfter(sent.map((one) => one.attempt)),
    }));
    const reason = await recordAttempts(deps.db, {
      endpointId,
      attempts,
      untried: batch.untried,
      urls,
      failingTooLongSince: failingTooLongSince(now),
      now,
    });
    for (const attempt of attempts) {
      counts[attempt.result === 'delivered' ? 'delivered' : 'failed'] += 1;
      deps.onAttempt(attempt.result, attempt.duration_ms);
    }
    if (reason !== null) {
      disabled = true;
      deps.log.warn({ endpoint_id: endpointId, reason }, 'webhook endpoint disabled');
    }
  }

  function start(): void {
    isWriting = true;
    writing = writeAll().finally(() => {
      isWriting = false;
    });
    // The next write awaits it.
    writing.catch(() => undefined);
  }

  return {
    tried: (delivery, url, attempt) => void tried.push({ delivery, url, attempt }),
    untried: (delivery) => void untried.push(delivery.delivery_id),
    hasUnwritten: () => isWriting || tried.length > 0 || untried.length > 0,
    async write() {
      await writing;
      start();
      await writing;
    },
    async writeWhenDue() {
      if (isWriting) return;
      await writing;
      const isDue = tried.length >= writeAtOnce || performance.now() - writtenAt >= writeEveryMs;
      if (isDue) start();
    },
    isDisabled: () => disabled,
    counts: () => counts,
  };
}

export function isSuccess(attempt: Attempt): boolean {
  return attempt.kind === 'answered' && attempt.status >= 200 && attempt.status < 300;
}

/** "Gone" (RFC 9110, section 15.5.11): the endpoint wants no further webhooks. */
const gone = 410;

function healthAfter(attempts: readonly Attempt[]): UrlHealth['health'] {
  if (attempts.some((attempt) => attempt.kind === 'answered' && attempt.status === gone)) return 'gone';
  return attempts.some(isSuccess) ? 'healthy' : 'failing';
}

function judge(
  { delivery_id: id, attempts }: ClaimedDelivery,
  attempt: Attempt,
  now: Date,
  random: number,
): DeliveryAttempt {
  const response_status = attempt.kind === 'answered' ? attempt.status : null;
  const row = { id, duration_ms: attempt.durationMs, response_status };
  if (isSuccess(attempt)) return { ...row, result: 'delivered', next_attempt_at: null, error: null };
  const asked = attempt.kind === 'answered' ? retryAfterSeconds(attempt.retryAfter, now) : null;
  const next = nextAttempt({ attempts: attempts + 1, retryAfterSeconds: asked, now, random });
  return {
    ...row,
    result: next.kind === 'retry' ? 'retry' : 'failed',
    next_attempt_at: next.kind === 'retry' ? next.at : null,
    error: attempt.kind === 'answered' ? `the endpoint answered ${attempt.status}` : attempt.reason,
  };
}

/** The seconds of a `Retry-After` header (RFC 9110, section 10.2.3: a number, or a date); null if it is missing or invalid. */
export function retryAfterSeconds(header: string | null, now: Date): number | null {
  const value = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(value)) return Number(value);
  // Only the formats with a day's name are HTTP's; `Date.parse` would take much more.
  if (value.length > 40 || !/^[A-Z][a-z]{2,8},? /.test(value)) return null;
  const at = Date.parse(value);
  return Number.isNaN(at) ? null : Math.max(0, (at - now.getTime()) / 1000);
}
