import { setTimeout as sleep } from 'node:timers/promises';
import { rejectAfter } from '@outdial/core';
import { pendingMigrations, postgresCode, writeAsRequestsDo, type Db } from '@outdial/db';
import type { Publisher } from '@outdial/queues';
import type { Logger, Metrics } from '@outdial/runtime';

const deadlineMs = 2_000;
const lookAgainMs = 500;
/** Longer than the pause between checks. */
const freshMs = 5_000;
const poolerReason =
  'loses prepared statements: a pooler in transaction mode needs pgbouncer 1.21 with max_prepared_statements, or DATABASE_PREPARED=0';
const tooLate = () => new Error(`no answer in ${deadlineMs} ms`);

/** Why a process cannot work, by check. The reasons are public; details go to the log. */
export type Faults = Readonly<Record<string, string>>;

export interface Readiness {
  /** Runs all checks, once for all concurrent callers. Logs a fault once when it appears and once when it is gone. */
  faults(): Promise<Faults>;
  /** The result of the last checks. Runs them only if that is older than five seconds, so that requests for it cost nothing. */
  current(): Promise<Faults>;
  /** What the last checks found wrong with what works. */
  warnings(): Faults;
  /** Waits without a time limit until all checks pass. */
  untilReady(): Promise<void>;
}

type Check = () => Promise<string | null>;

/** Checks whether the database is migrated and can be written as requests write, and whether the queue accepts jobs. */
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
      if (pending.length > 0) return `migrations have not run: ${pending.join(', ')}`;
      await writeAsRequestsDo(db);
      return null;
    },
    queue: async () => {
      const warning = await publisher.ping();
      if (warning !== null && warnings['queue'] !== warning) {
        log.warn({ check: 'queue', warning }, 'ready, but');
      }
      warnings = warning === null ? {} : { queue: warning };
      return null;
    },
  };
  let known: Faults = {};
  let warnings: Faults = {};
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
    warnings: () => warnings,
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

/** By the SQLSTATE of Postgres, or the first word of an error of Redis. */
const reasons: Readonly<Record<string, string>> = {
  '28P01': 'refuses the user or the password',
  '28000': 'refuses the user or the password',
  '3D000': 'does not exist',
  '42501': 'does not let the user write',
  '53300': 'has no connection left',
  '53100': 'has no disk space left',
  '25006': 'is read-only: a standby, or a primary that was demoted',
  '57P03': 'is starting or stopping',
  '26000': poolerReason,
  '42P05': poolerReason,
  WRONGPASS: 'refuses the user or the password',
  NOAUTH: 'refuses the user or the password',
  NOPERM: 'does not let the user write',
  READONLY: 'is a read-only replica',
  MASTERDOWN: 'is a replica without its primary',
  NOREPLICAS: 'has too few replicas to accept writes',
  OOM: 'has no memory left',
  MISCONF: 'cannot save to its disk, and accepts no writes',
  LOADING: 'is starting or stopping',
  BUSY: 'is busy with a script',
};

function publicReason(error: unknown): string {
  const cause = innermost(error);
  const message = cause instanceof Error ? cause.message : '';
  // Within a script, Redis gives a denied command no word of its own.
  const word = message.includes("user executing the script can't")
    ? 'NOPERM'
    : /^[A-Z]+\b/.exec(message)?.[0];
  return reasons[postgresCode(cause)] ?? reasons[word ?? ''] ?? 'cannot be reached';
}

function innermost(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error ? innermost(error.cause) : error;
}

/** The innermost message. The log masks passwords of URLs. */
function causeOf(error: unknown): string | undefined {
  const cause = innermost(error);
  if (!(cause instanceof Error)) return undefined;
  return [postgresCode(cause), cause.message.split('\n')[0]].filter(Boolean).join(' ');
}
