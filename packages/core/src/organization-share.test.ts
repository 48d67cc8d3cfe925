import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { organizationShare, type OrganizationLines } from './organization-share.ts';

const lines = (inUse: number, weight = 1, servedAt: Date | null = null): OrganizationLines => ({
  inUse,
  weight,
  servedAt,
});

describe('the share of an organization', () => {
  it('is all that is free where nobody else waits', () => {
    expect(organizationShare(lines(3), [], 5)).toBe(5);
    expect(organizationShare(lines(3), [], -1)).toBe(0);
  });

  it('goes first to those who have fewest', () => {
    expect(organizationShare(lines(4), [lines(0)], 4)).toBe(0);
    expect(organizationShare(lines(0), [lines(4)], 4)).toBe(4);
    expect(organizationShare(lines(1), [lines(1)], 2)).toBe(1);
  });

  it('of several that have as few, to the one that was served least recently', () => {
    const [early, late] = [new Date(1_000), new Date(2_000)];
    expect(organizationShare(lines(1, 1, late), [lines(1, 1, early)], 1)).toBe(0);
    expect(organizationShare(lines(1, 1, early), [lines(1, 1, late)], 1)).toBe(1);
  });

  it('goes by weight', () => {
    expect(organizationShare(lines(0, 3), [lines(0, 1)], 8)).toBe(6);
    expect(organizationShare(lines(0, 1), [lines(0, 3)], 8)).toBe(2);
  });

  it('leaves nothing to those who want no more', () => {
    expect(organizationShare(lines(0), [{ ...lines(0), wanted: 1 }], 4)).toBe(3);
  });

  // Each calls whenever it can, calls last differently long, and one of them floods.
  it('is at least 0.9 of the fair one for everybody, whatever the others do', () => {
    const organization = fc.record({
      weight: fc.integer({ min: 1, max: 4 }),
      callTicks: fc.integer({ min: 1, max: 40 }),
    });
    fc.assert(
      fc.property(
        fc.array(organization, { minLength: 2, maxLength: 5 }),
        fc.integer({ min: 10, max: 40 }),
        fc.infiniteStream(fc.nat()),
        (organizations, max, random) => {
          const state = organizations.map((one) => ({ ...one, ends: [] as number[], servedAt: 0, used: 0 }));
          const ticks = 2_000;
          for (let now = 1; now <= ticks; now++) {
            for (const one of state) one.ends = one.ends.filter((end) => end > now);
            // Whoever comes first takes what is its own, as often as it likes.
            const first = (random.next().value ?? 0) % state.length;
            for (let turn = 0; turn < state.length * 2; turn++) {
              const at = (first + turn) % state.length;
              const own = state[at];
              if (!own) continue;
              const free = max - state.reduce((sum, one) => sum + one.ends.length, 0);
              const view = state.map((one) => lines(one.ends.length, one.weight, new Date(one.servedAt)));
              const take = organizationShare(
                view[at] ?? lines(0),
                view.filter((_, other) => other !== at),
                free,
              );
              for (let line = 0; line < take; line++) own.ends.push(now + own.callTicks);
              if (take > 0) own.servedAt = now;
            }
            for (const one of state) one.used += one.ends.length;
          }
          const weights = state.reduce((sum, one) => sum + one.weight, 0);
          for (const one of state) {
            const fair = (max * one.weight) / weights;
            // A share that is no whole number of lines is that many on average.
            expect(one.used / ticks).toBeGreaterThanOrEqual(Math.min(fair * 0.9, Math.floor(fair)) - 0.5);
          }
        },
      ),
      { numRuns: 30 },
    );
  });
});
