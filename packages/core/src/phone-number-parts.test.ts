import { expect, test } from 'vitest';
import { partsOf } from './phone-number-parts.ts';

test.each([
  `12345${'/'.repeat(243)}1`,
  `1234${' 0'.repeat(120)}`,
  `+1234567${'+1'.repeat(120)}`,
  `1234${'+'.repeat(240)}1`,
  `12345${'x '.repeat(121)}1`,
  '1-'.repeat(125),
])('reads few parts of %s', (text) => {
  let reads = 0;
  partsOf(text, () => {
    reads += 1;
    return undefined;
  });
  expect(reads).toBeLessThanOrEqual(20);
});
