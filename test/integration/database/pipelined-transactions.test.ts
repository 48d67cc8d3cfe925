import { connect, deferred, inTransaction, type Tx } from '@outdial/db';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { useTestDatabase } from '../../support/database.ts';

const database = await useTestDatabase();
const db = connect({ databaseUrl: database.databaseUrl, poolMax: 2 });
afterAll(() => db.destroy());

beforeAll(async () => {
  await sql`create table notes (id int primary key, text text not null)`.execute(db);
});
beforeEach(async () => {
  await sql`truncate notes`.execute(db);
});

const write = (id: number, text: string | null = 'x') => sql`insert into notes values (${id}, ${text})`;
const ids = async (executor: Tx | typeof db = db) =>
  (await sql<{ id: number }>`select id from notes order by id`.execute(executor)).rows.map((row) => row.id);
const notNull = '23502';
const duplicate = '23505';

describe('a deferred statement', () => {
  test('has run when the next one does, and is committed', async () => {
    const seen = await inTransaction(db, async (tx) => {
      await deferred(write(1), tx);
      await deferred(write(2), tx);
      return ids(tx);
    });
    expect(seen).toEqual([1, 2]);
    expect(await ids()).toEqual([1, 2]);
  });

  test('is sent with the commit if nothing follows it', async () => {
    await inTransaction(db, (tx) => deferred(write(1), tx));
    expect(await ids()).toEqual([1]);
  });

  test('that fails also fails the next statement, and nothing is written', async () => {
    const work = inTransaction(db, async (tx) => {
      await deferred(write(1), tx);
      await deferred(write(2, null), tx);
      await deferred(write(3), tx);
      await ids(tx);
    });
    await expect(work).rejects.toMatchObject({ code: notNull });
    expect(await ids()).toEqual([]);
  });

  test('that fails with the commit fails the transaction, and nothing is written', async () => {
    const work = inTransaction(db, async (tx) => {
      await write(1).execute(tx);
      await deferred(write(1), tx);
    });
    await expect(work).rejects.toMatchObject({ code: duplicate });
    expect(await ids()).toEqual([]);
  });

  test('is dropped with its transaction, and the connection stays usable', async () => {
    const work = inTransaction(db, async (tx) => {
      await write(1).execute(tx);
      await deferred(write(2), tx);
      throw new Error('changed my mind');
    });
    await expect(work).rejects.toThrow('changed my mind');
    await inTransaction(db, (tx) => deferred(write(3), tx));
    expect(await ids()).toEqual([3]);
  });

  test('of a deadlock victim runs again with the rest of its transaction', async () => {
    await write(1, 'a').execute(db);
    await write(2, 'a').execute(db);
    const both = (first: number, second: number, met: Promise<void>, meet: () => void) =>
      inTransaction(db, async (tx) => {
        await sql`update notes set text = text || 'b' where id = ${first}`.execute(tx);
        meet();
        await met;
        await deferred(sql`update notes set text = text || 'b' where id = ${second}`, tx);
      });
    const one = Promise.withResolvers<void>();
    const other = Promise.withResolvers<void>();
    await Promise.all([both(1, 2, other.promise, one.resolve), both(2, 1, one.promise, other.resolve)]);
    const { rows } = await sql`select text from notes`.execute(db);
    expect(rows).toEqual([{ text: 'abb' }, { text: 'abb' }]);
  });
});

describe('a transaction whose connection is lost', () => {
  const pidOf = async (tx: Tx) =>
    (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx)).rows[0]?.pid;
  const cut = (pid: number | undefined) => sql`select pg_terminate_backend(${pid}, 60000)`.execute(db);
  const asDeferred = async (tx: Tx) => deferred(write(1), tx);
  const atOnce = async (tx: Tx) => write(1).execute(tx);

  test.each([
    ['with the commit', asDeferred],
    ['in a statement', atOnce],
  ])('fails %s for the reason that Postgres gave, and the next one has another', async (_, work) => {
    const lost = inTransaction(db, async (tx) => {
      await cut(await pidOf(tx));
      await work(tx);
    });
    await expect(lost).rejects.toMatchObject({ code: '57P01' });
    expect(await ids()).toEqual([]);
  });

  test('fails with what its work threw, if that came first', async () => {
    const lost = inTransaction(db, async (tx) => {
      await cut(await pidOf(tx));
      throw new Error('changed my mind');
    });
    await expect(lost).rejects.toThrow('changed my mind');
    expect(await ids()).toEqual([]);
  });

  test('because it was idle too long fails with that', async () => {
    const lost = inTransaction(db, async (tx) => {
      const pid = await pidOf(tx);
      await sql`set local idle_in_transaction_session_timeout = 1`.execute(tx);
      const isOpen = async () =>
        (await sql`select from pg_stat_activity where pid = ${pid}`.execute(db)).rows.length > 0;
      while (await isOpen());
      await atOnce(tx);
    });
    await expect(lost).rejects.toMatchObject({ code: '25P03' });
    expect(await ids()).toEqual([]);
  });
});

describe('a stream of rows', () => {
  const numbers = (executor: Tx) =>
    executor
      .selectFrom(sql<{ n: number }>`generate_series(1, ${10}::int)`.as<'n'>('n'))
      .select(sql<number>`n`.as('n'))
      .stream(3);

  test('is read in chunks, and its transaction continues', async () => {
    const read = await inTransaction(db, async (tx) => {
      const seen: number[] = [];
      for await (const { n } of numbers(tx)) seen.push(n);
      await deferred(write(1), tx);
      return seen;
    });
    expect(read).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(await ids()).toEqual([1]);
  });

  test('that is left early can be begun again', async () => {
    await inTransaction(db, async (tx) => {
      for (let round = 0; round < 2; round++) {
        for await (const { n } of numbers(tx)) if (n === 4) break;
      }
    });
    expect(await ids()).toEqual([]);
  });
});
