import {
  type CountryCode,
  isSupportedCountry,
  parsePhoneNumberFromString,
  type PhoneNumber,
  validatePhoneNumberLength,
} from 'libphonenumber-js/max';
import { isDateText } from './date-text.ts';
import { type NumberParts, partsOf } from './phone-number-parts.ts';

/** Checks the syntax of E.164 (ITU-T E.164: at most 15 digits). Only the carrier knows whether the number exists. */
export function isE164(text: string): boolean {
  return /^\+[1-9]\d{6,14}$/.test(text);
}

/** How numbers without a leading `+` are written: with their country code, or as in their own country. */
export const numberNotations = ['international', 'national'] as const;

/** What the sender says about the numbers of a column. */
export interface Numbering {
  /** The country of numbers without a leading `+`, ISO 3166 alpha-2. */
  country?: string | undefined;
  /** Decides where a number without a leading `+` can be read both ways. */
  numbers?: (typeof numberNotations)[number] | undefined;
}

export type PhoneNumberFault =
  | {
      reason:
        | 'empty'
        | 'not_a_number'
        | 'rounded'
        | 'decimal'
        | 'date'
        | 'country_unknown'
        | 'too_short'
        | 'too_long'
        | 'wrong_length';
    }
  /** The readings are masked, so that they can be shown. */
  | {
      reason: 'two_readings' | 'zero_unclear' | 'two_numbers' | 'has_extension';
      readings: readonly [string, string];
    };

export type ParsedPhoneNumber = { kind: 'ok'; e164: string } | ({ kind: 'invalid' } & PhoneNumberFault);

const lengthFaults = {
  INVALID_COUNTRY: 'country_unknown',
  NOT_A_NUMBER: 'not_a_number',
  TOO_SHORT: 'too_short',
  TOO_LONG: 'too_long',
  INVALID_LENGTH: 'wrong_length',
} as const;

/**
 * Parses a number with spaces, dashes and brackets. Every import reads numbers with it. For most numbers, only the length is checked, not the numbering
 * plan. What can be read as two numbers is refused with both readings, because the wrong one belongs to somebody else:
 * - A number without `+` that is a number of the country, and also one with a country code in front. Spreadsheets drop the `+`. `numbers` decides.
 * - A text that holds two numbers, such as `030 231251/52`, or an extension.
 */
export function parsePhoneNumber(raw: string, { country, numbers }: Numbering = {}): ParsedPhoneNumber {
  const plain = plainText(raw);
  const text = numbers === 'international' ? plain.replace(/^00(?=\s*[1-9])/, '+') : plain;
  if (text === '') return { kind: 'invalid', reason: 'empty' };
  // Such as 4.91716E+11, for a number of twelve digits.
  if (/^\+?\d[.,]\d+e\+?\d+$/i.test(text)) return { kind: 'invalid', reason: 'rounded' };
  // Programs write a column of numbers with an empty cell as 491713920012.0. The zero is no digit of the number, and another one may be missing.
  if (/^\+?\d{7,}[.,]\d{1,2}$/.test(text)) return { kind: 'invalid', reason: 'decimal' };
  // Its digits have the length of a number in many countries.
  if (isDateText(text)) return { kind: 'invalid', reason: 'date' };
  const code = countryCodeOf(country);
  const parts = partsOf(text, (part) => read(part, code));
  if (parts !== null) return refuseParts(parts, code);
  const [beforeZero, prefix] = /^((?:\+|00)?\s*\d{1,3})\s*\(0\)/.exec(text) ?? [];
  if (beforeZero === undefined) return decide(text, code, numbers);
  const rest = text.slice(beforeZero.length);
  return withOrWithoutZero(...[' 0', ' '].map((zero) => decide(`${prefix}${zero}${rest}`, code, numbers)));
}

/** Without what people and programs write around a number, and its digits as 0 to 9. */
function plainText(raw: string): string {
  return (
    raw
      // Programs copy marks of direction and zero-width blanks along unseen.
      .replaceAll(/\p{Cf}/gu, '')
      .trim()
      // Spreadsheets, and our own exports, write an apostrophe before a text that would be a formula.
      .replace(/^'\s*/, '')
      // East Asian keyboards write digits, signs and the plus as wide as their letters.
      .replaceAll(/[\uFF01-\uFF5E]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
      .replaceAll('\uFE62', '+')
      .replaceAll(/[\u0660-\u0669\u06F0-\u06F9]/g, (digit) => String(digit.charCodeAt(0) & 0xf))
      .replace(/^\(\s*(\+\d{1,3})\s*\)/, '$1 ')
  );
}

/** `+49 (0)171 3920014` is written for callers from everywhere: abroad the zero is left out, except where numbers keep it, as in Italy. */
function withOrWithoutZero(
  kept: ParsedPhoneNumber = { kind: 'invalid', reason: 'not_a_number' },
  left: ParsedPhoneNumber = kept,
): ParsedPhoneNumber {
  if (kept.kind === 'invalid' || left.kind === 'invalid') return left;
  if (kept.e164 === left.e164) return left;
  const [isKept, isLeft] = [kept, left].map(({ e164 }) => parsed(e164)?.isValid() === true);
  if (isKept !== isLeft) return isLeft ? left : kept;
  const readings = [maskReading(left.e164), maskReading(kept.e164)] as const;
  return { kind: 'invalid', reason: 'zero_unclear', readings };
}

function decide(text: string, country: CountryCode | null, numbers: Numbering['numbers']): ParsedPhoneNumber {
  if (text.startsWith('+')) return answerWithCode(parsed(text), text);
  if (numbers === 'international') {
    // No country code begins with 0, so such a number begins with a prefix of its country.
    const isWithCode = !/^\D*0/.test(text);
    if (isWithCode) return answerWithCode(international(text), `+${text}`);
  }
  const ofCountry = country === null ? undefined : parsed(text, country);
  const coded = international(text);
  // After another prefix than 00, for example of a carrier in Brazil.
  const hasPrefix = internationalPrefix.test(text) && ofCountry?.number !== coded?.number;
  const withCode = numbers === 'national' ? undefined : coded;
  if (ofCountry !== undefined && withCode !== undefined && isUnclear(text, ofCountry, withCode)) {
    const readings = [maskReading(withCode.number), maskReading(ofCountry.number)] as const;
    return { kind: 'invalid', reason: 'two_readings', readings };
  }
  if (ofCountry?.isPossible() === true && !ofCountry.isValid()) {
    if (hasPrefix) return { kind: 'invalid', reason: 'not_a_number' };
    const meant = withoutZero(ofCountry) ?? withZero(ofCountry);
    if (meant !== undefined && meant.number !== ofCountry.number) return zeroUnclear(meant, ofCountry);
  }
  if (ofCountry === undefined || withCode === undefined) return answer(ofCountry, text, country);
  const isOnlyWithCode =
    withCode.isValid() &&
    (hasPrefix ? !ofCountry.isPossible() : isOfOneCode(ofCountry, withCode) && !ofCountry.isValid());
  return answer(isOnlyWithCode ? withCode : ofCountry, text, country);
}

/**
 * Whether both readings are numbers. A number that begins with the code of its own country is unclear if the plan of the country has both, or
 * neither. One that begins with the code of another country is the country's own if it is valid and written exactly as there.
 */
function isUnclear(text: string, ofCountry: PhoneNumber, withCode: PhoneNumber): boolean {
  if (ofCountry.number === withCode.number || !ofCountry.isPossible() || !withCode.isPossible()) return false;
  // 00 comes before the country code in most countries, and means something else in some, such as Brazil and Colombia.
  if (internationalPrefix.test(text)) return true;
  if (isOfOneCode(ofCountry, withCode)) return ofCountry.isValid() === withCode.isValid();
  const isWrittenAsThere = ofCountry.isValid() && digitsOf(ofCountry.formatNational()) === digitsOf(text);
  return withCode.isValid() && !isWrittenAsThere;
}

/** People write zeros behind a country code that are not dialed: `+48 0601 123 456`. */
function answerWithCode(number: PhoneNumber | undefined, text: string): ParsedPhoneNumber {
  const meant = number?.isPossible() === true && !number.isValid() ? withoutZero(number) : undefined;
  return number !== undefined && meant !== undefined ? zeroUnclear(meant, number) : answer(number, text);
}

function zeroUnclear(meant: PhoneNumber, written: PhoneNumber): ParsedPhoneNumber {
  const readings = [maskReading(meant.number), maskReading(written.number)] as const;
  return { kind: 'invalid', reason: 'zero_unclear', readings };
}

/** The number behind a zero that its country does not write, as in `0601 123 456` in the Czech Republic. */
function withoutZero({ countryCallingCode, nationalNumber }: PhoneNumber): PhoneNumber | undefined {
  return nationalNumber.startsWith('0')
    ? valid(`+${countryCallingCode}${nationalNumber.slice(1)}`)
    : undefined;
}

/** The number with a zero that a spreadsheet dropped and its country dials, as in Italy. */
function withZero({ countryCallingCode, nationalNumber }: PhoneNumber): PhoneNumber | undefined {
  return nationalNumber.startsWith('0') ? undefined : valid(`+${countryCallingCode}0${nationalNumber}`);
}

function valid(e164: string): PhoneNumber | undefined {
  const number = parsed(e164);
  return number?.isValid() === true ? number : undefined;
}

function isOfOneCode(one: PhoneNumber, other: PhoneNumber): boolean {
  return one.countryCallingCode === other.countryCallingCode;
}

function refuseParts({ left, right, kind }: NumberParts, country: CountryCode | null): ParsedPhoneNumber {
  const first = read(left, country)?.number ?? '';
  const reading = maskReading(first);
  const digits = digitsOf(right);
  const isShort = digits.length < digitsOf(left).length && !/^\D*[0+]/.test(right);
  if (kind === 'extension' && isShort) {
    const extension = '•'.repeat(digits.length);
    return { kind: 'invalid', reason: 'has_extension', readings: [reading, `${reading} ext. ${extension}`] };
  }
  // `231251/52` means 231251 and 231252.
  const second = isShort ? first.slice(0, -digits.length) + digits : read(right, country)?.number;
  const readings = [reading, second === undefined ? '•'.repeat(digits.length) : maskReading(second)] as const;
  return { kind: 'invalid', reason: 'two_numbers', readings };
}

/** The likeliest reading. */
function read(text: string, country: CountryCode | null): PhoneNumber | undefined {
  if (text.startsWith('+')) return parsed(text);
  const ofCountry = country === null ? undefined : parsed(text, country);
  return ofCountry?.isPossible() === true ? ofCountry : (international(text) ?? ofCountry);
}

const internationalPrefix = /^(\D*)00(?=\s*[1-9])/;
/** What stands within one number. */
const ofOneNumber = /^[\d\s+()[\].\-‐‑–—−/~]*$/;

function international(text: string): PhoneNumber | undefined {
  const digits = digitsOf(text.replace(internationalPrefix, '$1'));
  return digits.startsWith('0') || !ofOneNumber.test(text) ? undefined : parsed(`+${digits}`);
}

function parsed(text: string, country?: CountryCode): PhoneNumber | undefined {
  const number = parsePhoneNumberFromString(text, {
    ...(country !== undefined && { defaultCountry: country }),
    extract: false,
  });
  const current = number === undefined ? null : withoutOldMexicanPrefix(number.number);
  return current === null ? number : parsePhoneNumberFromString(current);
}

function answer(
  number: PhoneNumber | undefined,
  text: string,
  country: CountryCode | null = null,
): ParsedPhoneNumber {
  if (number?.isPossible() === true && number.ext === undefined) {
    // A few countries have numbers shorter than the API accepts.
    return isE164(number.number)
      ? { kind: 'ok', e164: number.number }
      : { kind: 'invalid', reason: 'too_short' };
  }
  const fault = validatePhoneNumberLength(text, country === null ? {} : { defaultCountry: country });
  return { kind: 'invalid', reason: fault === undefined ? 'not_a_number' : lengthFaults[fault] };
}

/** Mexico wrote a 1 before mobile numbers until August 2019, and exports still do. Null for other numbers. */
export function withoutOldMexicanPrefix(e164: string): string | null {
  const number = /^\+521(\d{10})$/.exec(e164)?.[1];
  return number === undefined ? null : `+52${number}`;
}

/** `+4901713920014` still has the zero of `0171`, and reaches nobody, or somebody else. Null for other numbers. */
export function withoutTrunkZero(e164: string): string | null {
  const number = parsePhoneNumberFromString(e164);
  if (number === undefined) return null;
  if (e164 === `+${number.countryCallingCode}0${number.nationalNumber}`) return number.number;
  // Countries without such a zero, and Italy, where only some numbers have one.
  return number.isValid() ? null : (withoutZero(number)?.number ?? null);
}

function digitsOf(text: string): string {
  return text.replaceAll(/\D/g, '');
}

function countryCodeOf(country: string | undefined): CountryCode | null {
  const code = country?.toUpperCase();
  return code !== undefined && isSupportedCountry(code) ? code : null;
}

/** For logs: keeps at most the country prefix and the last two digits, and hides a text that is not a number. */
export function maskPhoneNumber(e164: string): string {
  if (!isE164(e164)) return '•••';
  return `+${callingCodeOf(e164)}•••${e164.slice(-2)}`;
}

/** Shows how long the number is too, to tell two readings apart. */
function maskReading(e164: string): string {
  const code = callingCodeOf(e164);
  return `+${code} ${'•'.repeat(Math.max(0, e164.length - code.length - 3))}${e164.slice(-2)}`;
}

function callingCodeOf(e164: string): string {
  return parsePhoneNumberFromString(e164)?.countryCallingCode ?? '';
}
