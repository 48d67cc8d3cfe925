import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lineAllowance, type SharedLines } from './line-share.ts';

const free: SharedLines = { inUse: 0, max: null, queuedCalls: 0, rivals: 0 };
const campaign = { inUse: 0, max: 10 };

describe('lineAllowance', () => {
  test('grants all wanted lines if they are free', () => {
    expect(lineAllowance({ want: 7, campaign, organization: free, provider: free })).toEqual({
      take: 7,
      waitingFor: null,
    });
  });

  test('names the tightest of several limits', () => {
    const organization = { ...free, max: 5 };
    const provider = { ...free, max: 6, inUse: 4 };
    expect(lineAllowance({ want: 20, campaign, organization, provider })).toEqual({
      take: 2,
      waitingFor: 'provider_line',
    });
    expect(lineAllowance({ want: 20, campaign, organization, provider: free })).toEqual({
      take: 5,
      waitingFor: 'organization_line',
    });
  });

  test('names the limit nearest to the campaign if several are equally tight', () => {
    const shut = { ...free, max: 0 };
    const answer = lineAllowance({
      want: 1,
      campaign: { inUse: 3, max: 3 },
      organization: shut,
      provider: shut,
    });
    expect(answer).toEqual({ take: 0, waitingFor: 'campaign_line' });
  });

  test('leaves lines to waiting direct calls first', () => {
    const provider = { ...free, max: 4, inUse: 1, queuedCalls: 2 };
    expect(lineAllowance({ want: 3, campaign, organization: free, provider }).take).toBe(1);
    expect(
      lineAllowance({ want: 3, campaign, organization: free, provider: { ...provider, queuedCalls: 9 } }),
    ).toEqual({ take: 0, waitingFor: 'provider_line' });
  });

  test('shares free lines with rivals and leaves none idle', () => {
    const provider = { ...free, max: 5, rivals: 1 };
    expect(lineAllowance({ want: 9, campaign, organization: free, provider }).take).toBe(3);
    expect(
      lineAllowance({ want: 9, campaign, organization: free, provider: { ...provider, max: 1, rivals: 7 } })
        .take,
    ).toBe(1);
  });

  test('stays within every cap, and takes at least one line if one is free', () => {
    const lines = fc.record({
      inUse: fc.nat(20),
      max: fc.option(fc.nat(20), { nil: null }),
      queuedCalls: fc.nat(5),
      rivals: fc.nat(5),
    });
    fc.assert(
      fc.property(
        fc.nat(30),
        fc.record({ inUse: fc.nat(20), max: fc.nat(20) }),
        lines,
        lines,
        (want, own, organization, provider) => {
          const { take, waitingFor } = lineAllowance({ want, campaign: own, organization, provider });
          const capacity = [
            own.max - own.inUse,
            ...[organization, provider].map(({ max, inUse, queuedCalls }) =>
              max === null ? Number.POSITIVE_INFINITY : max - inUse - queuedCalls,
            ),
          ];
          expect(take).toBeLessThanOrEqual(Math.max(0, Math.min(want, ...capacity)));
          expect(take > 0).toBe(want > 0 && Math.min(...capacity) > 0);
          expect(waitingFor === null).toBe(take === want);
        },
      ),
    );
  });
});
