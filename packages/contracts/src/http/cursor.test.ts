import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  createdPosition,
  createdTextPosition,
  cursorListOf,
  cursorParameters,
  idPosition,
} from './cursor.ts';

const query = cursorParameters(idPosition);
const position = (id: string) => [id] as const;

test('following next_cursor visits every row once, in order', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 1, max: 20 }), (count, limit) => {
      const rows = Array.from({ length: count }, () => randomUUID());
      const visited: string[] = [];
      for (let cursor: string | null | undefined; cursor !== null;) {
        const asked = query.parse({ limit: String(limit), ...(cursor === undefined ? {} : { cursor }) });
        const start = asked.cursor === undefined ? 0 : rows.findIndex((row) => row === asked.cursor?.[0]) + 1;
        const read = rows.slice(start, start + asked.limit + 1);
        const list = cursorListOf(read, asked.limit, { position, item: (id) => id });
        visited.push(...list.items);
        cursor = list.next_cursor;
      }
      expect(visited).toEqual(rows);
    }),
  );
});

const ofOtherList = cursorListOf([randomUUID(), randomUUID()], 1, {
  position: (id) => ['2026-03-01T09:00:00.000000Z', id],
  item: (id) => id,
}).next_cursor;

test('the cursor of a list with another order is refused', () => {
  expect(query.safeParse({ cursor: ofOtherList }).success).toBe(false);
  expect(cursorParameters(createdPosition).safeParse({ cursor: ofOtherList }).success).toBe(true);
});

test.each(['', 'x', '====', 'WyJ4Il0', 'a'.repeat(2_000), "' or 1=1"])(
  '%j is refused as a cursor',
  (cursor) => {
    expect(query.safeParse({ cursor }).success).toBe(false);
  },
);

const at = '2026-03-01T09:00:00.000000Z';

test.each([
  [createdPosition, ['2026-13-45T99:99:99.000000Z', randomUUID()]],
  [createdPosition, ['2026-02-29T09:00:00.000000Z', randomUUID()]],
  [createdPosition, ['0000-03-01T09:00:00.000000Z', randomUUID()]],
  [createdTextPosition, [at, 'a\u0000']],
  [createdTextPosition, [`${at}\u0000`, 'a']],
])('a forged position that Postgres cannot read is refused: %#', (kind, forged) => {
  const cursor = Buffer.from(JSON.stringify(forged)).toString('base64url');
  expect(cursorParameters<readonly string[]>(kind).safeParse({ cursor }).success).toBe(false);
});

test.each(['0', '1001', '-1', '1.5', 'ten', ''])('a limit of %j is refused', (limit) => {
  expect(query.safeParse({ limit }).success).toBe(false);
});

test('the default limit is fifty', () => {
  expect(query.parse({}).limit).toBe(50);
});
