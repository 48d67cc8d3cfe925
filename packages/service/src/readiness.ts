import { setTimeout as sleep } from 'node:timers/promises';
import { rejectAfter } from '@outdial/core';
import { pendingMigrations, postgresCode, type Db } from '@outdial/db';
import type { Publisher } from '@outdial/queues';
import type { Logger, Metrics } from '@outdial/runtime';

const deadlineMs = 2_000;
const lookAgainMs = 500;
const freshMs = 2_000;
const tooLate = () => new Error(`no answer in ${deadlineMs} ms`);

/** Why a process cannot work, by check. The reasons are public; details go to the log. */
export type Faults = Readonly<Record<string, string>>;

export interface Readiness {
  /** Runs all checks, once for all concurrent callers. Logs a fault once when it appears and once when it is gone. */
  faults(): Promise<Faults>;
  /** The result of the last checks. Runs them only if that is older than two seconds, so that requests for it cost nothing. */
  current(): Promise<Faults>;
  /** Waits without a time limit until all checks pass. */
  untilReady(): Promise<void>;
}

type Check = () => Promise<string | null>;

/** Checks whether the database is migrated, and whether the queue accepts jobs. */
export function createReadiness({
  db,
  publisher,
  log,
  metrics,
}: {
  db: Db;
  publisher: Pick<Publisher, 'ping'>;
  log: Pick<Logger, 'info' | 'warn'>;
  metrics?: Pick<Metrics, 'notReady'>;
}): Readiness {
  const checks: Readonly<Record<string, Check>> = {
    database: async () => {
      const pending = await pendingMigrations(db);
      return pending.length === 0 ? null : `migrations have not run: ${pending.join(', ')}`;
    },
    queue: async () => {
      await publisher.ping();
      return null;
    },
  };
  let known: Faults = {};
  let knownAt = Number.NEGATIVE_INFINITY;
  let running: Promise<Faults> | null = null;

  // If checks overlapped, an older result could follow a newer one and be logged as a change.
  function faults(): Promise<Faults> {
    running ??= runChecks().finally(() => (running = null));
    return running;
  }

  async function runChecks(): Promise<Faults> {
    const found: Record<string, string> = {};
    const errors = new Map<string, unknown>();
    await Promise.all(
      Object.entries(checks).map(async ([name, check]) => {
        try {
          const fault = await rejectAfter(check(), deadlineMs, tooLate);
          if (fault !== null) found[name] = fault;
        } catch (error) {
          found[name] = publicReason(error);
          errors.set(name, error);
        }
      }),
    );
    for (const [check, reason] of Object.entries(found)) {
      if (kindOf(known[check]) !== kindOf(reason)) {
        log.warn({ check, reason, cause: causeOf(errors.get(check)) }, 'not ready');
      }
    }
    for (const check of Object.keys(known)) {
      if (!(check in found)) log.info({ check }, 'ready again');
    }
    for (const check of Object.keys(checks)) metrics?.notReady.set({ check }, check in found ? 1 : 0);
    known = found;
    knownAt = performance.now();
    return found;
  }

  return {
    faults,
    current: () => (performance.now() - knownAt < freshMs ? Promise.resolve(known) : faults()),
    async untilReady() {
      while (Object.keys(await faults()).length > 0) await sleep(lookAgainMs);
    },
  };
}

/** While migrations run, their list gets shorter, but it is the same fault. */
function kindOf(reason: string | undefined): string | undefined {
  return reason?.split(':')[0];
}

function publicReason(error: unknown): string {
  const code = postgresCode(error);
  if (code === '28P01' || code === '28000') return 'refuses the user or the password';
  if (code === '3D000') return 'does not exist';
  if (code === '53300') return 'has no connection left';
  if (code === '57P03') return 'is starting or stopping';
  return 'cannot be reached';
}

/** The innermost message. The log masks passwords of URLs. */
function causeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error.cause instanceof Error) return causeOf(error.cause);
  const code = postgresCode(error);
  return [code, error.message.split('\n')[0]].filter(Boolean).join(' ');
}
