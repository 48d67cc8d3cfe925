import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Server, type Socket } from 'node:net';
import {
  CallerLeftError,
  connect,
  ConnectionsBusyError,
  forCaller,
  StatementTooLongError,
  withinMs,
} from '@outdial/db';
import { sql } from 'kysely';
import { afterAll, describe, expect, test } from 'vitest';
import { useTestDatabase } from '../../support/database.ts';

const database = await useTestDatabase();
const watcher = connect({ databaseUrl: database.databaseUrl, poolMax: 1, applicationName: 'watcher' });
const pools = [watcher];
const proxies: Server[] = [];
afterAll(async () => {
  await Promise.all(pools.map((db) => db.destroy()));
  for (const proxy of proxies) proxy.close();
});

function openPool(poolMax: number, databaseUrl = database.databaseUrl) {
  const applicationName = `pool ${randomUUID()}`;
  const db = connect({ databaseUrl, poolMax, applicationName });
  pools.push(db);
  async function count(state: 'active' | 'idle'): Promise<number> {
    const { rows } = await sql<{ count: number }>`
      select count(*)::integer as count from pg_stat_activity
      where application_name = ${applicationName} and state = ${state}`.execute(watcher);
    return rows[0]?.count ?? -1;
  }
  return {
    db,
    count,
    running: () => count('active'),
    /** Postgres sends the error of a canceled statement before it shows the connection as idle. */
    ended: () => expect.poll(() => count('active')).toBe(0),
  };
}

const cancelRequest = 80_877_102;

/** A way to the database on which cancellations wait. */
async function lateCancellations() {
  const begun = Promise.withResolvers<void>();
  const passes = Promise.withResolvers<void>();
  const { hostname, port } = new URL(database.databaseUrl);
  const proxy = createServer((socket) => {
    socket.once('data', (first: Buffer) => {
      socket.pause();
      void forward(socket, first);
    });
  });
  async function forward(socket: Socket, first: Buffer): Promise<void> {
    if (first.length === 16 && first.readInt32BE(4) === cancelRequest) {
      begun.resolve();
      await passes.promise;
    }
    const upstream = createConnection(Number(port), hostname);
    upstream.write(first);
    socket.pipe(upstream).pipe(socket);
    for (const end of [socket, upstream]) end.on('error', () => undefined);
  }
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  proxies.push(proxy);
  const url = new URL(database.databaseUrl);
  url.hostname = '127.0.0.1';
  // Listening on TCP, it has an address with a port.
  url.port = String((proxy.address() as AddressInfo).port);
  return { databaseUrl: url.href, begun: begun.promise, letPass: () => passes.resolve() };
}
type Pool = ReturnType<typeof openPool>['db'];

const forever = 3_600;
const sleeping = (db: Pool, seconds: number) =>
  sql<{ slept: string }>`select pg_sleep(${seconds})::text || 'slept' as slept`.execute(db);
const one = async (db: Pool) => (await sql<{ one: number }>`select 1 as one`.execute(db)).rows[0]?.one;

/** A lock for which statements wait until the test opens it. */
async function closedGate() {
  const { db } = openPool(1);
  const isClosed = Promise.withResolvers<void>();
  const mayOpen = Promise.withResolvers<void>();
  const held = db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(1)`.execute(tx);
    isClosed.resolve();
    await mayOpen.promise;
  });
  await Promise.race([isClosed.promise, held]);
  return {
    pass: (other: Pool) =>
      sql<{ passed: string }>`select pg_advisory_xact_lock(1)::text || 'passed' as passed`.execute(other),
    async open() {
      mayOpen.resolve();
      await held;
    },
  };
}

function reader(organizationId: string | null = randomUUID(), statementMs: number | null = null) {
  const left = new AbortController();
  return {
    leave: () => left.abort(new CallerLeftError()),
    ask: <Result>(work: () => Promise<Result>) =>
      forCaller({ organizationId, signal: left.signal, statementMs }, work),
  };
}

describe('a caller who leaves', () => {
  test('ends the statement in Postgres, and the connection stays usable', async () => {
    const { db, running, ended } = openPool(1);
    const { ask, leave } = reader();
    const asked = ask(() => sleeping(db, forever));
    await expect.poll(running).toBe(1);
    leave();
    await expect(asked).rejects.toThrow(CallerLeftError);
    await ended();
    expect(await one(db)).toBe(1);
  });

  test('ends a statement within a transaction, whose connection is used again', async () => {
    const { db, running } = openPool(1);
    const { ask, leave } = reader();
    const asked = ask(() =>
      db.transaction().execute(async (tx) => {
        await one(tx);
        return sleeping(tx, forever);
      }),
    );
    await expect.poll(running).toBe(1);
    leave();
    await expect(asked).rejects.toThrow(CallerLeftError);
    expect(await db.transaction().execute((tx) => one(tx))).toBe(1);
  });

  test('begins no further statement', async () => {
    const { db } = openPool(1);
    const { ask, leave } = reader();
    const asked = ask(async () => {
      await one(db);
      leave();
      return one(db);
    });
    await expect(asked).rejects.toThrow(CallerLeftError);
  });

  test('never ends the statement of somebody else, even if the cancellation is late', async () => {
    const late = await lateCancellations();
    const { db, count } = openPool(1, late.databaseUrl);
    const { ask, leave } = reader();
    const gate = await closedGate();
    const asked = ask(() => gate.pass(db));
    await expect.poll(() => count('active')).toBe(1);
    // The next in line for the only connection.
    const other = sleeping(db, 0.3);
    leave();
    await late.begun;
    await gate.open();
    // The statement ends by itself. Its connection is idle until the cancellation has passed.
    let isAnswered = false;
    void asked.finally(() => (isAnswered = true));
    await expect.poll(async () => isAnswered || (await count('idle')) === 1).toBe(true);
    late.letPass();
    expect((await asked).rows).toEqual([{ passed: 'passed' }]);
    expect((await other).rows).toEqual([{ slept: 'slept' }]);
  });

  test('with a change does not end it', async () => {
    const { db } = openPool(1);
    const change = forCaller({ organizationId: randomUUID(), signal: null, statementMs: null }, () =>
      sleeping(db, 0.2),
    );
    expect((await change).rows).toEqual([{ slept: 'slept' }]);
  });
});

describe('a statement that takes too long', () => {
  test('is canceled after the longest time of a statement', async () => {
    const { db, ended } = openPool(1);
    const { ask } = reader(randomUUID(), 100);
    await expect(ask(() => sleeping(db, forever))).rejects.toThrow(StatementTooLongError);
    await ended();
    expect(await one(db)).toBe(1);
  });

  test('is canceled when the time of all statements together is over, with or without a caller', async () => {
    const { db, ended } = openPool(1);
    const inSteps = () =>
      withinMs(200, async () => {
        for (;;) await sleeping(db, 0.02);
      });
    await expect(reader().ask(inSteps)).rejects.toThrow(StatementTooLongError);
    await expect(withinMs(100, () => sleeping(db, forever))).rejects.toThrow(StatementTooLongError);
    await ended();
  });
});

describe('the connections of a pool', () => {
  test('are held by one organization up to its share, and others find the rest', async () => {
    const { db, running } = openPool(6);
    const many = reader('many');
    const asked = Promise.allSettled(Array.from({ length: 20 }, () => many.ask(() => sleeping(db, forever))));
    await expect.poll(running).toBe(3);
    expect(await reader('other').ask(() => one(db))).toBe(1);
    expect(await one(db)).toBe(1);
    expect(await running()).toBe(3);
    many.leave();
    const answers = await asked;
    expect(answers.every((one) => one.status === 'rejected' && one.reason instanceof CallerLeftError)).toBe(
      true,
    );
  });

  test('are used by a caller who holds one already without a wait for its share', async () => {
    const { db } = openPool(6);
    const nested = () =>
      reader('nested').ask(() => db.transaction().execute(async (tx) => [await one(tx), await one(db)]));
    const answers = await Promise.all(Array.from({ length: 3 }, nested));
    expect(answers).toEqual([
      [1, 1],
      [1, 1],
      [1, 1],
    ]);
  });

  test('are refused at once if too many requests of the organization wait', async () => {
    const { db } = openPool(2);
    const many = reader('many');
    const waiting = Array.from({ length: 201 }, () => many.ask(() => sleeping(db, forever)));
    await expect(many.ask(() => one(db))).rejects.toThrow(ConnectionsBusyError);
    many.leave();
    await Promise.allSettled(waiting);
    expect(await reader('many').ask(() => one(db))).toBe(1);
  });
});
