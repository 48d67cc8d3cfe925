import { expect, test } from 'vitest';
import { StreamSlots } from './stream-slots.ts';

const taken = (
  slots: StreamSlots,
  times: number,
  credential: (turn: number) => string,
  organizationId: string,
) => Array.from({ length: times }, (_, turn) => slots.take({ credential: credential(turn), organizationId }));

test('a credential has at most ten streams at a time', () => {
  const slots = new StreamSlots();
  const [release] = taken(slots, 10, () => 'key', 'acme');
  const one = () => slots.take({ credential: 'key', organizationId: 'acme' });
  expect(one).toThrow('This credential has 10 streams open');
  release?.();
  release?.();
  one();
  expect(one).toThrow('This credential has 10 streams open');
});

test('an organization cannot take all streams with many credentials', () => {
  const slots = new StreamSlots();
  taken(slots, 25, (turn) => `key ${turn}`, 'acme');
  expect(() => taken(slots, 1, () => 'another key', 'acme')).toThrow('This organization has 25 streams open');
  expect(taken(slots, 10, () => 'their key', 'other')).toHaveLength(10);
});
