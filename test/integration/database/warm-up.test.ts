import { connect, warmUp } from '@outdial/db';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { useTestDatabase } from '../../support/database.ts';

const database = await useTestDatabase();
const db = connect({ databaseUrl: database.databaseUrl, poolMax: 4, applicationName: 'warmed' });
const watch = connect({ databaseUrl: database.databaseUrl, poolMax: 1 });
afterAll(() => Promise.all([db.destroy(), watch.destroy()]));

const growing = ['calls', 'campaign_recipients', 'called_people', 'caller_id_uses', 'consents', 'outbox'];

test('opens the given number of connections, each with the statements of a call planned, and writes nothing', async () => {
  await warmUp(db, { connections: 3 });
  const { rows: open } = await sql`select from pg_stat_activity where application_name = 'warmed'`.execute(
    watch,
  );
  expect(open).toHaveLength(3);
  const planned = await Promise.all(
    Array.from({ length: 3 }, () =>
      db.transaction().execute(async (tx) => {
        const { rows } = await sql<{ pid: number; statement: string }>`
          select pg_backend_pid() as pid, statement from pg_prepared_statements where generic_plans > 0`.execute(
          tx,
        );
        return { pid: rows[0]?.pid, statements: rows.map((row) => row.statement).join('\n') };
      }),
    ),
  );
  expect(new Set(planned.map((one) => one.pid)).size).toBe(3);
  for (const { statements } of planned) {
    // The gate, the ends of calls, and released lines.
    expect(statements).toContain('insert into calls');
    expect(statements).toContain('update calls c');
    expect(statements).toContain('update campaign_runtime rt');
  }
  const { rows: written } = await sql`select from calls union all select from campaign_recipients`.execute(
    db,
  );
  expect(written).toEqual([]);
});

test('plans statements for growing tables, even if Postgres knows that they are empty', async () => {
  for (const table of growing) await sql`vacuum analyze ${sql.table(table)}`.execute(watch);
  const fresh = connect({ databaseUrl: database.databaseUrl, poolMax: 1 });
  try {
    await warmUp(fresh, { connections: 1 });
    const { rows: statements } = await sql<{ name: string; parameters: number }>`
      select name, cardinality(parameter_types) as parameters from pg_prepared_statements where generic_plans > 0`.execute(
      fresh,
    );
    expect(statements.length).toBeGreaterThan(5);
    for (const { name, parameters } of statements) {
      const nothing = parameters === 0 ? sql`` : sql`(${sql.raw(Array(parameters).fill('null').join(','))})`;
      const { rows: lines } = await sql<{
        'QUERY PLAN': string;
      }>`explain execute ${sql.id(name)}${nothing}`.execute(fresh);
      const readWhole = lines.flatMap((line) => /Seq Scan on (\w+)/.exec(line['QUERY PLAN'])?.[1] ?? []);
      expect(readWhole.filter((table) => growing.includes(table))).toEqual([]);
    }
  } finally {
    await fresh.destroy();
  }
});
