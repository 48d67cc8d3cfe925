import { anyLength, connect, deferred, inTransaction, prepared } from '@outdial/db';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { useTestDatabase } from '../../support/database.ts';

const database = await useTestDatabase();
/** A single connection, so that each statement sees the prepared ones. */
const db = connect({ databaseUrl: database.databaseUrl, poolMax: 1 });
afterAll(() => db.destroy());

beforeAll(async () => {
  // New statistics would invalidate a plan too early.
  await sql`
    create table notes (id uuid primary key default gen_random_uuid(), text text not null)
    with (autovacuum_enabled = off)`.execute(db);
});
beforeEach(async () => {
  await sql`truncate notes`.execute(db);
});
afterEach(() => {
  vi.useRealTimers();
});

/** Each test uses another text, because a connection prepares each only once. */
const find = (ids: readonly string[], mark: string) =>
  sql<{
    text: string;
  }>`select text, ${sql.lit(mark)} as mark from notes where id = any(${anyLength(ids, 'uuid')})`;

async function statements(mark: string) {
  const { rows } = await sql<{ name: string; plans: number; kept: number }>`
    select name, custom_plans::int as plans, generic_plans::int as kept from pg_prepared_statements
    where statement like ${`%'${mark}'%`} and statement not like '%pg_prepared_statements%'`.execute(db);
  return rows;
}

async function planOf(name: string): Promise<string> {
  const { rows } = await sql<Record<string, string>>`explain execute ${sql.id(name)}('{}')`.execute(db);
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}

describe('a prepared statement', () => {
  test('is parsed once per connection, and others are not prepared', async () => {
    for (let run = 0; run < 3; run++) {
      await find([], 'once').execute(prepared(db));
      await find([], 'never').execute(db);
    }
    expect(await statements('once')).toHaveLength(1);
    expect(await statements('never')).toHaveLength(0);
  });

  test('answers as it would otherwise, in a transaction too', async () => {
    const { rows } = await sql<{ id: string }>`
      insert into notes (text) values ('a'), ('b') returning id`.execute(db);
    const ids = rows.map((row) => row.id);
    const texts = await inTransaction(db, async (tx) => {
      await deferred(sql`update notes set text = text || '!'`, tx);
      return (await find(ids, 'answers').execute(prepared(tx))).rows.map((row) => row.text);
    });
    expect(texts.toSorted()).toEqual(['a!', 'b!']);
  });

  test('with lists of different lengths uses one plan', async () => {
    // Large enough that a known short list would get another plan.
    await sql`insert into notes (text) select 'one of many' from generate_series(1, 5000)`.execute(db);
    await sql`vacuum analyze notes`.execute(db);
    for (let run = 0; run < 20; run++) {
      const length = run % 3;
      await find(Array<string>(length).fill('01a1fd6f-af30-7611-aee8-6606bc616466'), 'lengths').execute(
        prepared(db),
      );
    }
    const [statement] = await statements('lengths');
    // Postgres makes five custom plans before it considers a generic one.
    expect(statement).toMatchObject({ plans: 5, kept: 15 });
  });

  test('is planned again when its plan is some seconds old, for a table that has grown since', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    await sql`insert into notes (text) values ('first')`.execute(db);
    await sql`vacuum analyze notes`.execute(db);
    for (let run = 0; run < 7; run++) await find([], 'grown').execute(prepared(db));
    const [statement] = await statements('grown');
    const name = statement?.name ?? '';
    expect(await planOf(name)).toContain('Seq Scan on notes');
    // Few rows and many pages. The plan stays as it is, unless changes in other databases invalidate it, which a test cannot prevent.
    await sql`
        insert into notes (text) select repeat('further ', 100) from generate_series(1, 2000)`.execute(db);
    // Far more than needed, because the fake clock begins at zero and the connection is older.
    vi.advanceTimersByTime(3_600_000);
    await find([], 'grown').execute(prepared(db));
    expect(await planOf(name)).not.toContain('Seq Scan on notes');
  });

  test('with an old plan does not hide the error of a transaction', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const failing = inTransaction(db, async (tx) => {
      await find([], 'aged').execute(prepared(tx));
      vi.advanceTimersByTime(3_600_000);
      await sql`insert into notes (text) values (null)`.execute(tx);
    });
    await expect(failing).rejects.toMatchObject({ code: '23502' });
    expect((await find([], 'aged').execute(prepared(db))).rows).toEqual([]);
    expect(await statements('aged')).toHaveLength(1);
  });

  test('that failed at its first run is prepared by the next', async () => {
    const failing = inTransaction(db, async (tx) => {
      await deferred(sql`insert into notes (text) values (null)`, tx);
      await find([], 'failed').execute(prepared(tx));
    });
    await expect(failing).rejects.toMatchObject({ code: '23502' });
    expect((await find([], 'failed').execute(prepared(db))).rows).toEqual([]);
    expect(await statements('failed')).toHaveLength(1);
  });

  test('whose result a migration changed fails once, and the next connection prepares it again', async () => {
    await sql`insert into notes (text) values ('migrated')`.execute(db);
    const all = () => sql<{ text: string }>`select text, 'migrated' as mark from notes`.execute(prepared(db));
    await all();
    await sql`alter table notes alter text type varchar(20)`.execute(db);
    await expect(all()).rejects.toThrow('cached plan must not change result type');
    expect((await all()).rows).toMatchObject([{ text: 'migrated' }]);
  });
});
