import { expect, test } from 'vitest';
import { createRequestSlots } from './request-slots.ts';

const limits = { total: 6, perAddress: 3, perOrganization: 2 };

test('strangers of one address leave slots for others', () => {
  const slots = createRequestSlots(limits);
  const strangers = [1, 2, 3].map(() => slots.take('192.0.2.1'));
  expect(strangers.every((slot) => slot !== null)).toBe(true);
  expect(slots.take('192.0.2.1')).toBeNull();
  expect(slots.take('192.0.2.2')).not.toBeNull();
  strangers[0]?.release();
  strangers[0]?.release();
  expect(slots.take('192.0.2.1')).not.toBeNull();
  expect(slots.take('192.0.2.1')).toBeNull();
});

test('one organization leaves slots for others, from any number of addresses', () => {
  const slots = createRequestSlots(limits);
  const enter = (address: string, organizationId: string) => {
    const slot = slots.take(address);
    if (slot?.assignTo(organizationId) === true) return slot;
    slot?.release();
    return null;
  };
  const first = enter('192.0.2.1', 'evil');
  expect(enter('192.0.2.2', 'evil')).not.toBeNull();
  expect(enter('192.0.2.3', 'evil')).toBeNull();
  expect(enter('192.0.2.1', 'acme')).not.toBeNull();
  first?.release();
  expect(enter('192.0.2.3', 'evil')).not.toBeNull();
});

test('the total is limited', () => {
  const slots = createRequestSlots(limits);
  const taken = Array.from({ length: 6 }, (_, n) => slots.take(`192.0.2.${n}`));
  expect(slots.take('192.0.2.99')).toBeNull();
  taken[0]?.release();
  expect(slots.take('192.0.2.99')).not.toBeNull();
});
