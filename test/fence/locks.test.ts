import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
} from 'kysely';
import { expect, test } from 'vitest';
import { locks, rowOrder } from '../../db/src/locks.ts';
import { withAlignedTables } from '../support/markdown-tables.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const kinds = Object.values(locks);

const compiler = new Kysely<unknown>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

/** The keys as SQL, with an id where the lock has one. */
function keysOf(lock: (typeof kinds)[number]): string {
  return lock.keys(sql`organization_id`, sql`campaign_id`).compile(compiler).sql;
}

test('no two advisory locks have the same keys', () => {
  const installation = kinds.filter(({ number }) => number === 1).map(keysOf);
  expect(new Set(installation).size).toBe(installation.length);
  const others = kinds.map(({ number }) => number).filter((number) => number !== 1);
  expect(new Set(others).size).toBe(others.length);
});

test('only locks.ts names advisory locks', () => {
  const sources = globSync('{api,worker,scheduler,db,packages}/**/src/**/*.ts', { cwd: root });
  const naming = sources.filter((file) => /pg_\w*advisory/.test(readFileSync(root + file, 'utf8')));
  expect(naming.toSorted()).toEqual(['db/src/locks.ts', 'db/src/migrate.ts']);
});

test('the triggers use the numbers of locks.ts', () => {
  const triggers = globSync('db/migrations/*.ts', { cwd: root }).map((file) =>
    readFileSync(root + file, 'utf8'),
  );
  const keys = triggers.flatMap((text) =>
    [...text.matchAll(/pg_advisory_xact_lock\(([^;]*?)\)(?:;| from)/g)].map(([, key = '']) => key),
  );
  const known = new Map([
    [/^1, 0$/, locks.lineCaps],
    [/^1, 1$/, locks.installationRules],
    [/^3, hashtext\((new\.)?organization_id::text\)$/, locks.dialingRules],
  ]);
  for (const key of keys) {
    const [, lock] = [...known].find(([pattern]) => pattern.test(key)) ?? [];
    expect({ key, number: String(lock?.number) }).toEqual({ key, number: key.split(',', 1)[0] });
  }
  expect(keys.length).toBeGreaterThan(4);
});

/** The table of the page, with the rows of tables between the locks before and after them. */
function lockTable(): string {
  const of = (order: (typeof kinds)[number]['order']) => kinds.filter((lock) => lock.order === order);
  const entry = (order: string, { of, number, by, shared, alone }: (typeof kinds)[number]) =>
    `| ${order} | ${of} | (${number}, ${by}) | ${shared || '–'} | ${alone} |`;
  const ordered = [
    ...of('before rows').map((lock) => (order: string) => entry(order, lock)),
    (order: string) =>
      `| ${order} | rows: \`${rowOrder.join(' → ')}\`, by key within a table; calls are inserted after these, by number | – | – | changing them |`,
    ...of('after rows').map((lock) => (order: string) => entry(order, lock)),
  ];
  return [
    '| order | lock of | keys | in share mode | alone |',
    '| --- | --- | --- | --- | --- |',
    ...ordered.map((row, index) => row(String(index + 1))),
    ...of('outside').map((lock) => entry('–', lock)),
    '',
  ].join('\n');
}

// `npx vitest run --project unit test/fence/locks.test.ts --update` rewrites it.
test('docs/locks.md has every lock in its order', async () => {
  const path = `${root}docs/locks.md`;
  const page = readFileSync(path, 'utf8');
  const table = /(?<=<!-- Written from db\/src\/locks\.ts\. -->\n\n)(?:\|.*\n)+/;
  expect(page).toMatch(table);
  const written = page.replace(table, () => withAlignedTables(lockTable()));
  await expect(written).toMatchFileSnapshot(path);
});
