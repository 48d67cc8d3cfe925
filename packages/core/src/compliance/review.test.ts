import { describe, expect, test } from 'vitest';
import { dayMs } from '../local-date.ts';
import { builtInDisclosure } from './opening.ts';
import { recordingLawSource } from './recording-law.ts';
import { naturalVoiceFirst, readingOf, reviewsDue } from './review.ts';
import { builtInRules } from './rules/index.ts';

const ruleOf = (jurisdiction: string) => {
  const rule = builtInRules.find((one) => one.jurisdiction === jurisdiction);
  if (rule === undefined) throw new Error(`no rule ${jurisdiction}`);
  return rule;
};
const readAt = (jurisdiction: string) => Date.parse(ruleOf(jurisdiction).source.asOf);

/** Every date of reading in a value, however deep. */
function datesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'asOf' && typeof inner === 'string' ? [inner] : datesIn(inner),
  );
}

describe('texts of the law', () => {
  test('are due for another reading 180 days after the last one, each once', () => {
    const at = readAt('DE');
    const named = (days: number) =>
      reviewsDue(['strict:DE', 'standard:DE', 'strict:DE,FR'], new Date(at + days * dayMs)).map(
        ({ name }) => name,
      );
    expect(named(179)).toEqual([]);
    expect(named(180)).toEqual(['Germany', 'the built-in rules about recordings']);
    expect(named(190)).toEqual([
      'Germany',
      'France',
      'the built-in disclosure',
      'the built-in rules about recordings',
    ]);
  });

  test('are due by the one that was read first: hours, caps and lists, or consents', () => {
    const rule = ruleOf('FR');
    const consent = { ...rule.consent, asOf: '2026-06-30' };
    expect(readingOf({ ...rule, consent })).toEqual({ name: 'France', asOf: '2026-06-30' });
    // Not read at all: there is no date from which to count.
    expect(readingOf({ ...rule, consent: { ...consent, asOf: null } }).asOf).toBe(rule.source.asOf);
  });

  test('all count: no date of any kind is older than the one that warns', () => {
    for (const rule of builtInRules) expect(readingOf(rule).asOf).toBe(datesIn(rule).toSorted()[0]);
    for (const text of [builtInDisclosure, recordingLawSource]) {
      const due = new Date(Date.parse(text.asOf) + 180 * dayMs);
      expect(reviewsDue(['standard:JP'], due)).toContainEqual({ name: text.name, asOf: text.asOf });
      expect(reviewsDue(['standard:JP'], new Date(due.getTime() - 1))).not.toContainEqual(
        expect.objectContaining({ name: text.name }),
      );
    }
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
