import { AsyncLocalStorage } from 'node:async_hooks';

/** For whom statements run. They end early if no caller waits for them any more. */
export interface Caller {
  /** The organization whose share of the connections they use. Null for the service itself. */
  organizationId: string | null;
  /** Aborts when the result is of no use any more. Null for changes, which run to their end. */
  signal: AbortSignal | null;
  /** The longest that one statement may take; null for the limit of the connection. */
  statementMs: number | null;
}

/** A caller, and how many connections it holds now. */
export interface CallerScope extends Caller {
  readonly held: { connections: number };
}

const scopes = new AsyncLocalStorage<CallerScope>();

export function callerScope(): CallerScope | undefined {
  return scopes.getStore();
}

/** All statements of `work` are those of this caller. */
export function forCaller<Result>(caller: Caller, work: () => Promise<Result>): Promise<Result> {
  return scopes.run({ ...caller, held: { connections: 0 } }, work);
}

/**
 * Gives all statements of `work` together at most `ms`.
 * @throws StatementTooLongError
 */
export async function withinMs<Result>(ms: number, work: () => Promise<Result>): Promise<Result> {
  const outer = scopes.getStore();
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new StatementTooLongError(ms)), ms);
  const signal = outer?.signal ? AbortSignal.any([outer.signal, late.signal]) : late.signal;
  try {
    const nobody = { organizationId: null, statementMs: null, held: { connections: 0 } };
    return await scopes.run({ ...(outer ?? nobody), signal }, work);
  } finally {
    clearTimeout(timer);
  }
}

/** A read took longer in the database than a read may, and was canceled. */
export class StatementTooLongError extends Error {
  constructor(ms: number) {
    super(`the read took longer than ${ms} ms`);
    this.name = 'StatementTooLongError';
  }
}

/** The caller has left, so its statement was canceled, or not begun. */
export class CallerLeftError extends Error {
  constructor() {
    super('the caller has left');
    this.name = 'CallerLeftError';
  }
}

/** The organization waited too long for one of its connections, or too many of its requests wait already. */
export class ConnectionsBusyError extends Error {
  constructor() {
    super('the organization uses its share of the connections');
    this.name = 'ConnectionsBusyError';
  }
}
