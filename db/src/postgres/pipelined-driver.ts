import {
  AbortedTransactionError,
  CompiledQuery,
  PostgresDialect,
  type DatabaseConnection,
  type Driver,
  type QueryResult,
  type TransactionSettings,
} from 'kysely';
import type pg from 'pg';
import { losesSession } from '@outdial/core';
import type { CallerScope } from './caller.ts';
import { type Ended, untilCanceled } from './cancel-statement.ts';
import type { ConnectionTurns } from './connection-turns.ts';
import { deferredAnswer } from './deferred.ts';
import { statementName } from './prepared.ts';
import { postgresCode } from './error-code.ts';

/** Kysely's dialect of Postgres, with a driver that sends deferred statements together with the one that follows. */
export class PipelinedDialect extends PostgresDialect {
  readonly #pool: pg.Pool;
  readonly #turns: ConnectionTurns;
  readonly #prepares: boolean;
  /** @param pool whose clients are opened with `pipeline: true` */
  constructor(pool: pg.Pool, turns: ConnectionTurns, prepares: boolean) {
    super({ pool });
    this.#pool = pool;
    this.#turns = turns;
    this.#prepares = prepares;
  }
  override createDriver(): Driver {
    return new PipelinedDriver(this.#pool, this.#turns, this.#prepares);
  }
}

/**
 * Each statement of a transaction costs a round trip, during which the transaction holds its locks. So `begin` and deferred statements are sent in
 * one packet with the next statement or the commit. Their order does not change.
 */
class PipelinedDriver implements Driver {
  readonly #pool: pg.Pool;
  readonly #turns: ConnectionTurns;
  readonly #prepares: boolean;
  readonly #connections = new WeakMap<pg.PoolClient, PipelinedConnection>();
  /** Sessions that were opened before are closed instead of used. */
  #trustedSinceMs = Number.NEGATIVE_INFINITY;
  constructor(pool: pg.Pool, turns: ConnectionTurns, prepares: boolean) {
    this.#pool = pool;
    this.#turns = turns;
    this.#prepares = prepares;
  }

  /** One session was lost with its server or is read-only, so the others are too, also those that only read: what they read may be old. */
  readonly #renew = () => {
    this.#trustedSinceMs = performance.now();
  };

  init(): Promise<void> {
    return Promise.resolve();
  }

  async acquireConnection(): Promise<PipelinedConnection> {
    const { caller, end } = await this.#turns.take();
    try {
      for (;;) {
        const client = await this.#pool.connect();
        const connection =
          this.#connections.get(client) ?? new PipelinedConnection(client, this.#renew, this.#prepares);
        this.#connections.set(client, connection);
        if (connection.openedAtMs >= this.#trustedSinceMs) {
          connection.begin(caller, end);
          return connection;
        }
        client.release(true);
      }
    } catch (error) {
      end();
      throw error;
    }
  }

  beginTransaction(connection: PipelinedConnection, settings: TransactionSettings): Promise<void> {
    const isolation = settings.isolationLevel ? ` isolation level ${settings.isolationLevel}` : '';
    const access = settings.accessMode ? ` ${settings.accessMode}` : '';
    connection.defer(CompiledQuery.raw(`start transaction${isolation}${access}`));
    return Promise.resolve();
  }

  async commitTransaction(connection: PipelinedConnection): Promise<void> {
    const { command } = await connection.send(CompiledQuery.raw('commit'));
    // Postgres answers the commit of a failed transaction with ROLLBACK.
    if (command === 'ROLLBACK') throw new AbortedTransactionError();
  }

  async rollbackTransaction(connection: PipelinedConnection): Promise<void> {
    await connection.rollBack();
  }

  releaseConnection(connection: PipelinedConnection): Promise<void> {
    connection.release();
    return Promise.resolve();
  }

  async destroy(): Promise<void> {
    await this.#pool.end();
  }
}

/**
 * A cached plan assumes the table sizes of its planning: a table that was empty then may have ten thousand rows now. On each connection the time doubles,
 * because planning again takes 10 to 50 ms, and Postgres itself plans again once autovacuum has analyzed a table.
 */
const plansLastMs = { first: 5_000, atMost: 60_000 };

/**
 * Errors after which a connection's prepared statements are unusable: feature_not_supported ("cached plan must not change result type"),
 * invalid_sql_statement_name and duplicate_prepared_statement.
 */
const staleStatementCodes = new Set(['0A000', '26000', '42P05']);

class PipelinedConnection implements DatabaseConnection {
  readonly openedAtMs = performance.now();
  readonly #client: pg.PoolClient;
  readonly #onSessionLost: () => void;
  readonly #prepares: boolean;
  /** For whom its statements run until it is released. */
  #caller: CallerScope | null = null;
  #endTurn: () => void = () => undefined;
  /** When its prepared statements were last planned. */
  #plannedAtMs = performance.now();
  #plansLastMs = plansLastMs.first;
  #waiting: CompiledQuery[] = [];
  /**
   * Whether to close the connection instead of returning it to the pool: its transaction could not be rolled back, a migration invalidated its
   * prepared statements, its server was demoted or shut down, or a cancellation may still arrive.
   */
  isBroken = false;
  /** What ended the connection while no statement ran. */
  #lostBy: Error | null = null;
  constructor(client: pg.PoolClient, onSessionLost: () => void, prepares: boolean) {
    this.#client = client;
    this.#prepares = prepares;
    this.#onSessionLost = onSessionLost;
    client.on('error', (error) => {
      this.#lostBy ??= error;
    });
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    if (deferredAnswer(query)) {
      this.defer(query);
      return { rows: [] };
    }
    const { command, rowCount, rows } = await this.send<Row>(query);
    const changes = ['INSERT', 'UPDATE', 'DELETE', 'MERGE'].includes(command);
    return { rows, ...(changes && { numAffectedRows: BigInt(rowCount ?? 0) }) };
  }

  /** Uses an SQL cursor of the open transaction, because a portal of the wire protocol would block other statements on the connection. */
  async *streamQuery<Row>(query: CompiledQuery, chunkSize: number): AsyncGenerator<QueryResult<Row>> {
    const declaration = `declare rows_of_stream no scroll cursor for ${query.sql}`;
    this.defer(CompiledQuery.raw(declaration, [...query.parameters]));
    const fetching = CompiledQuery.raw(`fetch ${Math.trunc(chunkSize)} from rows_of_stream`);
    try {
      for (;;) {
        const { rows } = await this.send<Row>(fetching);
        if (rows.length === 0) break;
        yield { rows };
      }
    } finally {
      this.defer(CompiledQuery.raw('close rows_of_stream'));
    }
  }

  begin(caller: CallerScope | null, endTurn: () => void): void {
    this.#caller = caller;
    this.#endTurn = endTurn;
    this.#discardOldPlans();
  }

  /** Runs before a transaction begins, because a failed transaction accepts no statement but its end. */
  #discardOldPlans(): void {
    if (performance.now() - this.#plannedAtMs < this.#plansLastMs) return;
    this.#plannedAtMs = performance.now();
    this.#plansLastMs = Math.min(2 * this.#plansLastMs, plansLastMs.atMost);
    this.defer(CompiledQuery.raw('discard plans'));
  }

  /** Sent together with the next message. */
  defer(query: CompiledQuery): void {
    this.#waiting.push(query);
  }

  /** Drops unsent messages. */
  forget(): void {
    for (const query of this.#waiting) {
      deferredAnswer(query)?.({ status: 'rejected', reason: new AbortedTransactionError() });
    }
    this.#waiting = [];
  }

  /**
   * Also for a caller who has left, because the connection is used again. Never rejects, since that would hide why the transaction is rolled back:
   * if this fails, the connection is closed, which rolls back too.
   */
  async rollBack(): Promise<void> {
    this.forget();
    this.#caller = null;
    await this.send(CompiledQuery.raw('rollback')).catch(() => {
      this.isBroken = true;
    });
  }

  /**
   * @throws the error of the first failed statement; later ones only report that the transaction is aborted. If the caller has left, or a statement
   *   took too long, that is the error. If the connection was lost before, what ended it is, of which later statements say nothing.
   */
  async send<Row>(query: CompiledQuery): Promise<pg.QueryResult<Row & pg.QueryResultRow>> {
    this.#caller?.signal?.throwIfAborted();
    if (this.#lostBy !== null) throw this.#failed(this.#lostBy);
    const together = [...this.#waiting, query];
    this.#waiting = [];
    const { answers, reason } = await this.#runAll<Row>(together);
    for (const [n, one] of together.entries()) {
      const answer = answers[n];
      if (answer) deferredAnswer(one)?.(answer);
    }
    if (reason !== null) throw reason;
    let last: pg.QueryResult<Row & pg.QueryResultRow> | undefined;
    for (const answer of answers) {
      if (answer.status === 'rejected') throw this.#failed(answer.reason);
      last = answer.value;
    }
    if (!last) throw new Error('nothing was sent');
    return last;
  }

  #failed(reason: unknown): unknown {
    const code = postgresCode(reason);
    const isLost = losesSession(code);
    if (isLost) this.#onSessionLost();
    this.isBroken ||= isLost || staleStatementCodes.has(code);
    return reason;
  }

  async #runAll<Row>(
    queries: readonly CompiledQuery[],
  ): Promise<Ended<pg.QueryResult<Row & pg.QueryResultRow>>> {
    const running = Promise.allSettled(queries.map((one) => this.#run<Row>(one)));
    const { signal = null, statementMs = null } = this.#caller ?? {};
    if (signal === null && statementMs === null) {
      return { answers: await running, reason: null, isClean: true };
    }
    const ended = await untilCanceled(this.#client, { signal, statementMs }, running);
    this.isBroken ||= !ended.isClean;
    return ended;
  }

  #run<Row>(query: CompiledQuery): Promise<pg.QueryResult<Row & pg.QueryResultRow>> {
    const name = this.#prepares ? statementName(query) : undefined;
    const values = [...query.parameters];
    // pg copies query objects property by property, so pass text and values where possible.
    if (name === undefined) return this.#client.query<Row & pg.QueryResultRow>(query.sql, values);
    return this.#client.query<Row & pg.QueryResultRow>({ name, text: query.sql, values });
  }

  release(): void {
    this.forget();
    this.#caller = null;
    this.#client.release(this.isBroken);
    this.#endTurn();
  }
}
