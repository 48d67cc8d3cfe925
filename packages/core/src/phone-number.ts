import {
  type CountryCode,
  isSupportedCountry,
  parsePhoneNumberFromString,
  validatePhoneNumberLength,
} from 'libphonenumber-js/min';

/** Checks the syntax of E.164 (ITU-T E.164: at most 15 digits). Only the carrier knows whether the number exists. */
export function isE164(text: string): boolean {
  return /^\+[1-9]\d{6,14}$/.test(text);
}

export type PhoneNumberFault =
  | 'empty'
  | 'not_a_number'
  | 'country_unknown'
  | 'too_short'
  | 'too_long'
  | 'wrong_length'
  | 'has_extension';

export type ParsedPhoneNumber = { kind: 'ok'; e164: string } | { kind: 'invalid'; reason: PhoneNumberFault };

const lengthFaults = {
  INVALID_COUNTRY: 'country_unknown',
  NOT_A_NUMBER: 'not_a_number',
  TOO_SHORT: 'too_short',
  TOO_LONG: 'too_long',
  INVALID_LENGTH: 'wrong_length',
} as const;

/**
 * Parses a number with spaces, dashes and brackets, for imports. Without a leading `+` it is read as a number of
 * `defaultCountry` (ISO 3166 alpha-2); without that, the result is `country_unknown`. Only the length is checked, not the numbering plan.
 */
export function parsePhoneNumber(raw: string, defaultCountry?: string): ParsedPhoneNumber {
  const text = raw.trim();
  if (text === '') return { kind: 'invalid', reason: 'empty' };
  const country = countryCodeOf(defaultCountry);
  const options = country === null ? {} : { defaultCountry: country };
  const fault = validatePhoneNumberLength(text, options);
  if (fault !== undefined) return { kind: 'invalid', reason: lengthFaults[fault] };
  const number = parsePhoneNumberFromString(text, { ...options, extract: false });
  if (number === undefined) return { kind: 'invalid', reason: 'not_a_number' };
  // An extension cannot be dialed, and the number without it may ring somewhere else.
  if (number.ext !== undefined) return { kind: 'invalid', reason: 'has_extension' };
  // A few countries have numbers shorter than the API accepts.
  return isE164(number.number)
    ? { kind: 'ok', e164: number.number }
    : { kind: 'invalid', reason: 'too_short' };
}

function countryCodeOf(country: string | undefined): CountryCode | null {
  const code = country?.toUpperCase();
  return code !== undefined && isSupportedCountry(code) ? code : null;
}

/** For logs: keeps at most the country prefix and the last two digits, and hides a text that is not a number. */
export function maskPhoneNumber(e164: string): string {
  if (!isE164(e164)) return '•••';
  const prefix = parsePhoneNumberFromString(e164)?.countryCallingCode ?? '';
  return `+${prefix}•••${e164.slice(-2)}`;
}
