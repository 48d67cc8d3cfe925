import { maskText, parsePhoneNumber, phoneColumns, type PhoneNumberFault } from '@outdial/core';

/** Without names the first line has the first person instead, who stays private. */
export function noPhoneColumn(names: readonly string[]): string {
  const hasPerson = names.some((name) => parsePhoneNumber(name, undefined).kind !== 'invalid');
  const there = hasPerson
    ? 'a phone number: put a line with the names of the columns above it'
    : names.slice(0, 50).join(', ');
  return `the first line has no column ${phoneColumns.join(', ')}; it has ${there}`;
}

const faultWords: Record<PhoneNumberFault, string> = {
  empty: 'has no phone number',
  not_a_number: 'has no valid phone number; write it as in +15550100123',
  country_unknown:
    'has a phone number without its country: write it with +, or name the country with --country',
  too_short: 'has a phone number that is too short',
  too_long: 'has a phone number that is too long',
  wrong_length: 'has a phone number whose length is wrong for its country',
  has_extension: 'has a phone number with an extension, which cannot be dialed',
};

export type ReadPhone = { kind: 'ok'; e164: string } | { kind: 'fault'; message: string };

/** Reads numbers and remembers them: the second of two that are the same is a fault. */
export class PhoneReader {
  readonly #lines = new Map<string, number>();
  readonly #country: string | undefined;

  constructor(country: string | undefined) {
    this.#country = country;
  }

  read(text: string, line: number): ReadPhone {
    const parsed = parsePhoneNumber(text, this.#country);
    if (parsed.kind === 'invalid') {
      const shown = text.trim() === '' ? '' : ` ("${maskText(text.trim())}")`;
      return { kind: 'fault', message: `${faultWords[parsed.reason]}${shown}` };
    }
    const before = this.#lines.get(parsed.e164);
    if (before !== undefined) {
      return { kind: 'fault', message: `repeats the phone number of line ${before}` };
    }
    this.#lines.set(parsed.e164, line);
    return parsed;
  }
}
