import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** Every way in which a statement names a zone, unless it is UTC. */
const namesZone =
  /\bat\s+time\s+zone\s+(?!'utc')|\btimezone\s*\(\s*(?!'utc')|\bset\s+(?:local\s+|session\s+)(?:time\s+zone|timezone)|\bset\s+time\s+zone|`\s*set\s+timezone|\bmake_timestamptz\b|pg_timezone_|set_config\('timezone/i;

/** The statements of a file: its `sql` templates, with those inside them. Comments and other code are left out. */
function statementsOf(text: string): string[] {
  return [...text.matchAll(/\bsql(?:<[^`]*?>)?`((?:[^`\\]|\\.|\$\{[^}]*`[^`]*`[^}]*\})*)`/g)].map(
    ([statement]) => statement,
  );
}

test('no statement gives Postgres a time zone other than UTC, which may not know the name', () => {
  const files = globSync('{db,packages/*,api,worker,scheduler}/src/**/*.ts', { cwd: root });
  const statements = files.flatMap((file) =>
    statementsOf(readFileSync(join(root, file), 'utf8')).map((statement) => ({ file, statement })),
  );
  expect(statements.length).toBeGreaterThan(500);
  const found = statements.filter(({ statement }) => namesZone.test(statement));
  expect(found).toEqual([]);
});

describe('what the search finds', () => {
  test.each([
    'sql`select (at at time zone o.timezone)::date`',
    'sql<string>`select at AT TIME ZONE ${zone}`',
    "sql`select at at time zone 'US/Eastern'`",
    'sql`select timezone(o.zone, at)`',
    'sql`set local time zone ${zone}`',
    'sql`set timezone = ${zone}`',
    'sql`select make_timestamptz(2027, 3, 1, 9, 0, 0, ${zone})`',
    "sql`select set_config('timezone', ${zone}, true)`",
  ])('%s', (code) => {
    expect(statementsOf(code).some((statement) => namesZone.test(statement))).toBe(true);
  });
});
