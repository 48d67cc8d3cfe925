import { describe, expect, test } from 'vitest';
import { phoneNumbers } from './phone-numbers.ts';

function faultsOf(value: unknown) {
  const issues = phoneNumbers.safeParse(value).error?.issues ?? [];
  return issues.map((issue): unknown[] => [
    issue.path,
    issue.code === 'custom' ? issue.params?.['type'] : null,
  ]);
}

describe('phoneNumbers', () => {
  test('accepts E.164, and keeps the first of repeated numbers', () => {
    const list = ['+15551230000', '+4915112345678'];
    expect(phoneNumbers.parse(list)).toEqual(list);
    expect(phoneNumbers.parse([...list, '+15551230000'])).toEqual(list);
  });

  test('names the invalid element', () => {
    expect(faultsOf(['+15551230000', '15551230000', 5, '+0555', null])).toEqual([
      [[1], 'string_pattern_mismatch'],
      [[2], 'string_type'],
      [[3], 'string_pattern_mismatch'],
      [[4], 'string_type'],
    ]);
    expect(faultsOf([])).toEqual([[[], 'too_short']]);
    expect(faultsOf('+15551230000')).toEqual([[[], 'list_type']]);
  });

  test('reports a hundred faults and a count for a million invalid numbers, and refuses one more number', () => {
    expect(faultsOf(Array.from({ length: 1_000_000 }, () => 'x'))).toHaveLength(101);
    expect(faultsOf(Array.from({ length: 1_000_001 }, () => '+15551230000'))).toEqual([[[], 'too_long']]);
  });
});
