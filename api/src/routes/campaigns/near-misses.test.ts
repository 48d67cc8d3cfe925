import { expect, test } from 'vitest';
import { nearMisses } from './near-misses.ts';

test('lists twenty names without effect and counts the others, of the campaign as of its people', () => {
  const misspelled = Object.fromEntries(
    Array.from({ length: 30 }, (_, n) => [`time${'-'.repeat(n + 1)}zone`, 'UTC']),
  );
  const warnings = nearMisses({ ...misspelled, recipients: { '+15550100123': { nickname: 'Ada' } } });
  expect(warnings).toHaveLength(21);
  expect(warnings.at(-1)?.msg).toBe('11 more fields are stored but have no effect');
});

test('cuts a long name between two characters, because the answer is stored', () => {
  const [warning] = nearMisses({ recipients: { '+15550100123': { [`${'x'.repeat(63)}😀`]: 1 } } });
  expect(warning?.loc.every((step) => String(step).isWellFormed())).toBe(true);
});
