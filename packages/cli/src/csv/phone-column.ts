import {
  firstLineHolds,
  maskText,
  parsePhoneNumber,
  phoneColumns,
  type PhoneNumberFault,
} from '@outdial/core';

export function noPhoneColumn(names: readonly string[], country: string | undefined): string {
  return `the first line has no column ${phoneColumns.join(', ')}; it has ${firstLineHolds(names, country)}`;
}

const faultWords: Record<PhoneNumberFault, string> = {
  empty: 'has no phone number',
  not_a_number: 'has an invalid phone number; write it like +15550100123',
  country_unknown:
    'has a phone number without its country: write it with +, or name the country with --country',
  too_short: 'has a phone number that is too short',
  too_long: 'has a phone number that is too long',
  wrong_length: 'has a phone number with the wrong length for its country',
  has_extension: 'has a phone number with an extension, which cannot be dialed',
};

export type ReadPhone = { kind: 'ok'; e164: string } | { kind: 'fault'; message: string };

/** Reads numbers, and reports one that occurred before as a fault. */
export class PhoneReader {
  readonly country: string | undefined;
  readonly #lines = new Map<string, number>();

  constructor(country: string | undefined) {
    this.country = country;
  }

  read(text: string, line: number): ReadPhone {
    const parsed = parsePhoneNumber(text, this.country);
    if (parsed.kind === 'invalid') {
      const shown = text.trim() === '' ? '' : ` ("${maskText(text.trim())}")`;
      return { kind: 'fault', message: `${faultWords[parsed.reason]}${shown}` };
    }
    const before = this.#lines.get(parsed.e164);
    if (before !== undefined) return { kind: 'fault', message: `repeats the phone number of line ${before}` };
    this.#lines.set(parsed.e164, line);
    return parsed;
  }
}
