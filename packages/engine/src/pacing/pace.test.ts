import { latestSlotMs, slotHorizonMs } from '@outdial/core';
import { describe, expect, test } from 'vitest';
import { allotPaces } from './pace.ts';

const now = new Date('2027-03-01T12:00:00Z');
const after = (ms: number) => new Date(now.getTime() + ms);
const unpaced = { callsPerSecond: null, nextSlotAt: null };

describe('paces', () => {
  test('give no slots if neither the campaign nor its provider has a pace', () => {
    expect(allotPaces({ now, want: 1, campaign: unpaced, provider: unpaced })).toBeNull();
  });

  test.each([
    { callsPerSecond: 10, intervalMs: 105 },
    { callsPerSecond: 0.5, intervalMs: 2_045 },
  ])('of $callsPerSecond respect a next slot that is an interval ahead', ({ callsPerSecond, intervalMs }) => {
    const nextSlotAt = after(latestSlotMs + intervalMs - 50);
    const allotment = allotPaces({
      now,
      want: 1,
      campaign: null,
      provider: { callsPerSecond, nextSlotAt },
    });
    expect(allotment?.slots).toEqual([]);
    expect(allotment?.waitUntil?.getTime()).toBeLessThan(nextSlotAt.getTime());
  });

  test.each([0.5, 10])('of %d a second restart if the clock was set back', (callsPerSecond) => {
    const nextSlotAt = after(3_600_000);
    const allotment = allotPaces({ now, want: 1, campaign: null, provider: { callsPerSecond, nextSlotAt } });
    expect(allotment?.slots).toEqual([after(slotHorizonMs)]);
  });
});
