import { once } from 'node:events';
import { connect, type NetConnectOpts } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';
import type pg from 'pg';
import { CallerLeftError, StatementTooLongError } from './caller.ts';
import { postgresCode } from './error-code.ts';

/** A statement that ends so soon is not canceled, because a cancellation costs Postgres a process. Also the wait before the next one. */
const graceMs = 50;
const requestMs = 2_000;
const canceledCode = '57014';

export interface Ended<Answer> {
  answers: Array<PromiseSettledResult<Answer>>;
  /** Why a statement was canceled; null if they ended by themselves. */
  reason: Error | null;
  /** False if a cancellation may still arrive, so that the connection must not be used again. */
  isClean: boolean;
}

/**
 * Waits for statements that were sent on a connection, and cancels them when the signal aborts, or after `statementMs`. The connection must not be
 * returned to its pool before this has resolved: a cancellation names a connection and not a statement, so it could hit the statement of
 * somebody else. Each one that was sent is accounted for by a canceled statement; otherwise the connection is not clean.
 */
export async function untilCanceled<Answer>(
  client: pg.PoolClient,
  { signal, statementMs }: { signal: AbortSignal | null; statementMs: number | null },

  statements: Promise<Array<PromiseSettledResult<Answer>>>,
): Promise<Ended<Answer>> {
  const over = new AbortController();
  let reason: Error | null = null;
  let sent = 0;
  let canceling: Promise<void> | undefined;

  async function cancelUntilOver(): Promise<void> {
    for (;;) {
      await sleep(graceMs, undefined, { signal: over.signal }).catch(() => undefined);
      if (over.signal.aborted) return;
      sent += 1;
      // If it cannot be sent, the connection is not clean. Postgres ends the statement by its own limit.
      await sendCancelRequest(client).catch(() => undefined);
    }
  }
  function cancel(why: Error): void {
    reason ??= why;
    canceling ??= cancelUntilOver();
  }
  const onAbort = () => {
    const why: unknown = signal?.reason;
    cancel(why instanceof Error ? why : new CallerLeftError());
  };
  signal?.addEventListener('abort', onAbort, { once: true });
  const timer =
    statementMs === null
      ? undefined
      : setTimeout(() => cancel(new StatementTooLongError(statementMs)), statementMs);
  const answers = await statements;
  clearTimeout(timer);
  signal?.removeEventListener('abort', onAbort);
  over.abort();
  await canceling;
  const canceled = answers.filter(isCanceled).length;
  return { answers, reason: canceled > 0 ? reason : null, isClean: canceled >= sent };
}

function isCanceled(answer: PromiseSettledResult<unknown>): boolean {
  return answer.status === 'rejected' && postgresCode(answer.reason) === canceledCode;
}

/** What pg knows of a connection. Its types leave these out. */
interface Backend {
  host: string;
  port: number;
  ssl: boolean | ConnectionOptions;
  processID: number;
  secretKey: number;
}

/**
 * Asks Postgres to cancel what runs on the connection. Resolves when Postgres has signaled the process, which it shows by closing the connection:
 * https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-CANCELING-REQUESTS
 *
 * Not `pg_cancel_backend`, which would need a free connection, and does not know the numbers that pgbouncer gives.
 */
async function sendCancelRequest(client: pg.PoolClient): Promise<void> {
  const { host, port, ssl, processID, secretKey } = client as unknown as Backend;
  const signal = AbortSignal.timeout(requestMs);
  const at: NetConnectOpts = host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port };
  const plain = connect(at);
  try {
    await once(plain, 'connect', { signal });
    let socket: Pick<typeof plain, 'end' | 'resume' | 'once'> = plain;
    if (ssl !== false) {
      plain.write(int32s(8, 80_877_103));
      await once(plain, 'data', { signal });
      const secure = connectTls({ host, ...(ssl === true ? {} : ssl), socket: plain });
      await once(secure, 'secureConnect', { signal });
      socket = secure;
    }
    socket.resume();
    socket.end(int32s(16, 80_877_102, processID, secretKey));
    if (!plain.closed) await once(plain, 'close', { signal });
  } finally {
    plain.destroy();
  }
}

function int32s(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, at) => bytes.writeInt32BE(value, at * 4));
  return bytes;
}
