import { describe, expect, test } from 'vitest';
import { retryDelay } from './retry-delay.ts';

const plain = { retryDelaySeconds: 900, retryDelaysSeconds: null };

describe('retryDelay', () => {
  test('is the same before every call-back without a sequence', () => {
    expect([1, 2, 7].map((attempt) => retryDelay(plain, 'busy', attempt))).toEqual([900, 900, 900]);
  });

  test('follows the sequence, whose last delay repeats', () => {
    const rule = { ...plain, retryDelaysSeconds: [60, 3_600, 86_400] };
    expect([1, 2, 3, 4, 11].map((attempt) => retryDelay(rule, 'no_answer', attempt))).toEqual([
      60, 3_600, 86_400, 86_400, 86_400,
    ]);
  });

  test('follows the sequence of the outcome, and retry_delay_seconds for other outcomes', () => {
    const rule = { ...plain, retryDelaysSeconds: { busy: [30, 120], no_answer: [0] } };
    expect(retryDelay(rule, 'busy', 2)).toBe(120);
    expect(retryDelay(rule, 'no_answer', 3)).toBe(0);
    expect(retryDelay(rule, 'voicemail', 1)).toBe(900);
  });
});
