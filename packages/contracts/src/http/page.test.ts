import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pageOf } from './page.ts';

test.each([
  [{ page: 1, size: 50 }, 0, { pages: 0, previous_page: null, next_page: null }],
  [{ page: 1, size: 50 }, 50, { pages: 1, previous_page: null, next_page: null }],
  [{ page: 1, size: 50 }, 51, { pages: 2, previous_page: null, next_page: 2 }],
  [{ page: 2, size: 50 }, 51, { pages: 2, previous_page: 1, next_page: null }],
  [{ page: 9, size: 50 }, 51, { pages: 2, previous_page: 2, next_page: null }],
])('%j of %i rows', (asked, total, expected) => {
  expect(pageOf([], asked, total)).toMatchObject({ ...asked, total, ...expected });
});

test('following next_page from the first visits every page once', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 2_000 }), (size, total) => {
      const visited: number[] = [];
      for (let page: number | null = 1; page !== null; page = pageOf([], { page, size }, total).next_page) {
        visited.push(page);
      }
      expect(visited).toHaveLength(pageOf([], { page: 1, size }, total).pages);
    }),
  );
});
