import { describe, expect, test } from 'vitest';
import { dayMs } from '../local-date.ts';
import { naturalVoiceFirst, reviewsDue } from './review.ts';
import { builtInRules } from './rules/index.ts';

const readAt = (jurisdiction: string) =>
  Date.parse(builtInRules.find((rule) => rule.jurisdiction === jurisdiction)?.source.asOf ?? '');

describe('texts of the law', () => {
  test('are due for another reading 180 days after the last one, each once', () => {
    const at = readAt('DE');
    const named = (days: number) =>
      reviewsDue(['strict:DE', 'standard:DE', 'strict:DE,FR'], new Date(at + days * dayMs)).map(
        ({ name }) => name,
      );
    expect(named(179)).toEqual([]);
    expect(named(180)).toEqual(['Germany']);
    expect(named(190)).toEqual(['Germany', 'France', 'the built-in disclosure']);
  });

  test('do not matter without a policy', () => {
    expect(reviewsDue(['Europe/Berlin'], new Date('2040-01-01'))).toEqual([]);
  });

  test('of California ask for a natural voice first, also where the state is unknown, and under strict only', () => {
    const names = (...keys: string[]) => naturalVoiceFirst(keys).map(({ name }) => name);
    expect(names('strict:US-CA')).toEqual(['California']);
    expect(names('strict:US-*', 'strict:US-CA')).toEqual(['California']);
    expect(names('standard:US', 'strict:US-NY')).toEqual([]);
  });
});
