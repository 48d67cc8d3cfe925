import { expect, test } from 'vitest';
import { caughtBy, type Run } from './caught-by.ts';

const kept: Run = { missed: [], fell: null };
const slow: Run = { missed: ['MISSED slowest request: 4200 ms (at most 3000)'], fell: null };
const late: Run = { missed: [], fell: 'the run did not end within 300 s' };

test('a figure counts as evidence if it is missed only without the protection', () => {
  expect(caughtBy({ protectedRun: kept, bareRun: slow })).toEqual(slow.missed);
  expect(caughtBy({ protectedRun: kept, bareRun: kept })).toEqual([]);
});

test('a figure that is also missed with the protection is not evidence', () => {
  const slower: Run = { missed: ['MISSED slowest request: 9000 ms (at most 3000)'], fell: null };
  expect(caughtBy({ protectedRun: slow, bareRun: slower })).toEqual([]);
});

test('a run that does not come to its figures without the protection is caught', () => {
  expect(caughtBy({ protectedRun: kept, bareRun: late })).toEqual([late.fell]);
  expect(caughtBy({ protectedRun: slow, bareRun: late })).toEqual([late.fell]);
});

test('after a run that did not come to its figures with the protection, nothing is evidence', () => {
  expect(caughtBy({ protectedRun: late, bareRun: late })).toEqual([]);
  expect(caughtBy({ protectedRun: late, bareRun: slow })).toEqual([]);
});
