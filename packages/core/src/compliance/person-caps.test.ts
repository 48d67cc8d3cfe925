import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { personFreeAt, type PersonCaps, type PersonHistory } from './person-caps.ts';

const hourMs = 3_600_000;
const at = (hour: number) => new Date(Date.UTC(2027, 2, 1) + hour * hourMs);
const none: PersonCaps = { calls: [], gap_seconds: null, after_conversation_hours: null };
const mine = { campaignId: 'mine', isDebtCollection: false };
const called = (...hours: number[]): PersonHistory => ({
  dials: hours.map((hour) => ({ at: at(hour), campaignId: 'mine' })),
  conversationAt: null,
});

describe('personFreeAt', () => {
  test('is null for a person who was never called, and without a cap', () => {
    expect(personFreeAt({ ...none, calls: [{ calls: 1, hours: 24 }] }, called(), mine)).toBeNull();
    expect(personFreeAt(none, called(1, 2, 3), mine)).toBeNull();
  });

  test('slides: after three calls in a day, the fourth is allowed a day after the first', () => {
    const caps = { ...none, calls: [{ calls: 3, hours: 24 }] };
    expect(personFreeAt(caps, called(9, 12), mine)).toBeNull();
    expect(personFreeAt(caps, called(9, 12, 20), mine)).toEqual(at(33));
    expect(personFreeAt(caps, called(1, 9, 12, 20), mine)).toEqual(at(33));
  });

  test('takes the latest of several caps', () => {
    const caps = {
      ...none,
      calls: [
        { calls: 2, hours: 24 },
        { calls: 3, hours: 168 },
      ],
    };
    expect(personFreeAt(caps, called(0, 30, 40), mine)).toEqual(at(168));
  });

  test('keeps the gap to calls of other campaigns, and before a direct call to every call', () => {
    const caps = { ...none, gap_seconds: 4 * 3600 };
    expect(personFreeAt(caps, called(9), mine)).toBeNull();
    expect(personFreeAt(caps, called(9), { ...mine, campaignId: 'another' })).toEqual(at(13));
    expect(personFreeAt(caps, called(9), { ...mine, campaignId: null })).toEqual(at(13));
    const direct = { dials: [{ at: at(9), campaignId: null }], conversationAt: null };
    expect(personFreeAt(caps, direct, { ...mine, campaignId: null })).toEqual(at(13));
  });

  test('allows no call about a debt for some days after a conversation about one', () => {
    const caps = { ...none, after_conversation_hours: 168 };
    const history = { ...called(1), conversationAt: at(2) };
    expect(personFreeAt(caps, history, { ...mine, isDebtCollection: true })).toEqual(at(170));
    expect(personFreeAt(caps, history, mine)).toBeNull();
  });

  test('never exceeds a cap in any span, whenever calls are requested', () => {
    const cap = fc.record({ calls: fc.integer({ min: 1, max: 4 }), hours: fc.integer({ min: 1, max: 48 }) });
    fc.assert(
      fc.property(
        fc.array(cap, { minLength: 1, maxLength: 3 }),
        fc.array(fc.integer({ min: 1, max: 600 }), { minLength: 5, maxLength: 60 }),
        (calls, waits) => {
          const dials: Date[] = [];
          let now = at(0);
          for (const minutes of waits) {
            now = new Date(now.getTime() + minutes * 60_000);
            const history = {
              dials: dials.map((dial) => ({ at: dial, campaignId: 'mine' })),
              conversationAt: null,
            };
            const freeAt = personFreeAt({ ...none, calls }, history, mine);
            if (freeAt === null || freeAt <= now) dials.push(now);
          }
          const crowded = calls.filter(({ calls: most, hours }) =>
            dials.some(
              (dial, n) =>
                Number(dials[n + most] ?? Number.POSITIVE_INFINITY) - Number(dial) < hours * hourMs,
            ),
          );
          expect(crowded).toEqual([]);
        },
      ),
    );
  });
});
