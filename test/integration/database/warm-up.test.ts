import { connect, warmUp } from '@outdial/db';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { useTestDatabase } from '../../support/database.ts';

const database = await useTestDatabase();
const db = connect({ databaseUrl: database.databaseUrl, poolMax: 4, applicationName: 'warmed' });
const watch = connect({ databaseUrl: database.databaseUrl, poolMax: 1 });
afterAll(() => Promise.all([db.destroy(), watch.destroy()]));

test('opens as many connections as it is told, each with the statements of a call planned, and writes nothing', async () => {
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
    // The gate, the ends of calls, and lines that come back.
    expect(statements).toContain('insert into calls');
    expect(statements).toContain('update calls c');
    expect(statements).toContain('update campaign_runtime rt');
  }
  const { rows: written } = await sql`select from calls union all select from campaign_recipients`.execute(
    db,
  );
  expect(written).toEqual([]);
});
