import { isCountry, specialNumbers, type SpecialNumber } from '@outdial/core';
import { InvalidArgumentError } from 'commander';
import type { None } from '../options.ts';

/** `US,CA`, or `none` to allow all again. */
export function countries(text: string): string[] | None {
  if (text === 'none') return text;
  const codes = text.split(',').map((code) => code.trim().toUpperCase());
  const unknown = codes.filter((code) => !isCountry(code));
  if (unknown.length > 0) {
    throw new InvalidArgumentError(`Unknown country ${unknown.join(', ')}: use two-letter codes.`);
  }
  return [...new Set(codes)];
}

/** `premium,satellite`, or `none`. */
export function special(text: string): SpecialNumber[] {
  if (text === 'none') return [];
  return text.split(',').map((name) => {
    const kind = specialNumbers.find((known) => known === name.trim());
    if (kind === undefined) {
      throw new InvalidArgumentError(`Must be a list of ${specialNumbers.join(', ')}, or \`none\`.`);
    }
    return kind;
  });
}
