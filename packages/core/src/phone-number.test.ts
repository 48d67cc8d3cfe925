import examples from 'libphonenumber-js/examples.mobile.json' with { type: 'json' };
import { getCountries, getExampleNumber, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { describe, expect, test } from 'vitest';
import {
  isE164,
  maskPhoneNumber,
  type Numbering,
  type ParsedPhoneNumber,
  parsePhoneNumber,
} from './phone-number.ts';

describe('isE164', () => {
  test.each(['+15551230000', '+4930123456', '+1234567', '+123456789012345'])('takes %s', (text) => {
    expect(isE164(text)).toBe(true);
  });

  test.each([
    '',
    '15551230000',
    '+05551230000',
    '+123456',
    '+1234567890123456',
    '+1 555 123 0000',
    '+1555123000a',
    '+15551230000\n',
    '＋15551230000',
  ])('refuses %j', (text) => {
    expect(isE164(text)).toBe(false);
  });
});

describe('parsePhoneNumber', () => {
  test.each<[string, string | undefined, string]>([
    ['+15551230091', undefined, '+15551230091'],
    ['  +1 (555) 123-0091 ', undefined, '+15551230091'],
    ['+1.555.123.0091', undefined, '+15551230091'],
    ["'+15551230091", undefined, '+15551230091'],
    ['(415) 555-2671', 'US', '+14155552671'],
    ['2015550123', 'US', '+12015550123'],
    ['1 (415) 555-2671', 'US', '+14155552671'],
    ['030 123456', 'de', '+4930123456'],
    ['030/23125012', 'DE', '+493023125012'],
    ['030 / 231 250 12', 'DE', '+493023125012'],
    ['0171/555/0123', 'DE', '+491715550123'],
    ['030-231251-52', 'DE', '+493023125152'],
    ['+49 (0)171 3920014', undefined, '+491713920014'],
    ['+49 30 123456', 'US', '+4930123456'],
    ['011 49 30 123456', 'US', '+4930123456'],
    ['13123456789', 'CN', '+8613123456789'],
    ['447400123456', 'GB', '+447400123456'],
    ['+52 1 55 1234 5678', undefined, '+525512345678'],
    ['5215512345678', 'MX', '+525512345678'],
    // As wide as East Asian letters, and in Arabic digits.
    ['＋４９１７１３９２００１２', 'DE', '+491713920012'],
    ['０３０－２３１２５０１２', 'DE', '+493023125012'],
    ['٠١٧١٣٩٢٠٠١٢', 'DE', '+491713920012'],
    ['(+49) 171 3920014', undefined, '+491713920014'],
    // A zero that is left out from abroad, and one that Italy keeps.
    ['+57 (0)321 1234567', undefined, '+573211234567'],
    ['+39 (0)6 12345678', undefined, '+390612345678'],
    ['+44 (0)7400 123456', 'US', '+447400123456'],
    // Marks of direction and a zero-width blank, as programs copy them along.
    ['\u202A+49 171\u200B3920012\u202C', undefined, '+491713920012'],
    ['\uFEFF\u200E0171 3920012', 'DE', '+491713920012'],
    // No dates.
    ['030/12/2026', 'DE', '+4930122026'],
    ['30-13-2026', 'DE', '+4930132026'],
    ['0612345678', 'IT', '+390612345678'],
    // Too long for a number of the country.
    ['0049 171 3920014', 'US', '+491713920014'],
  ])('reads %j with %s', (raw, country, e164) => {
    expect(parsePhoneNumber(raw, { country })).toEqual({ kind: 'ok', e164 });
  });

  test.each<[string, string | undefined, string]>([
    ['', undefined, 'empty'],
    ['   ', 'US', 'empty'],
    ['not a number', 'US', 'not_a_number'],
    ['call +1 555 123 0091', undefined, 'not_a_number'],
    ['mobil 0171 5550123, privat 030 231251', 'DE', 'not_a_number'],
    ['4.91716E+11', 'DE', 'rounded'],
    ['+4.91716E+11', undefined, 'rounded'],
    ['4,91716E+11', 'DE', 'rounded'],
    // As programs write a column of numbers with an empty cell; the last zero is not dialed.
    ['+491713920012.0', undefined, 'decimal'],
    ['0302312510.0', 'DE', 'decimal'],
    ['1713920012,00', 'DE', 'decimal'],
    ['2015550123.0', 'US', 'decimal'],
    ['005511961234567/1', 'BR', 'not_a_number'],
    // Such as of a birthday column, or of an entry that a spreadsheet took for a date.
    ['1980-05-12', 'DE', 'date'],
    ['1980-05-12 00:00:00', 'NO', 'date'],
    ['1980/5/12', 'JP', 'date'],
    ['01.12.2026', 'DE', 'date'],
    ['30.11.1975', 'AT', 'date'],
    ['12/31/1980', 'GB', 'date'],
    ['5-12-1980', undefined, 'date'],
    ['415 555 2671', undefined, 'country_unknown'],
    ['415 555 2671', 'XX', 'country_unknown'],
    ['+999 1234 5678', undefined, 'country_unknown'],
    ['+1 415', undefined, 'too_short'],
    ['+1 415 555 2671 22222', undefined, 'too_long'],
    ['447400123456', 'US', 'too_long'],
  ])('refuses %j with %s as %s', (raw, country, reason) => {
    expect(parsePhoneNumber(raw, { country })).toEqual({ kind: 'invalid', reason });
  });

  test.each([
    // A spreadsheet dropped the plus.
    ['491713920012', 'DE', '+49 ••••••••12', '+49 ••••••••••12'],
    ['33612345678', 'DE', '+33 •••••••78', '+49 •••••••••78'],
    // Or the zero.
    ['15123456789', 'DE', '+1 ••••••••89', '+49 •••••••••89'],
    // 00 is not the prefix for calls abroad there.
    ['005511961234567', 'BR', '+55 •••••••••67', '+1 ••••••••67'],
    ['0061412345678', 'AU', '+61 •••••••78', '+61 ••••••••••78'],
  ])('refuses %j with %s, which can be read as %s and %s', (raw, country, ...readings) => {
    expect(parsePhoneNumber(raw, { country })).toEqual({ kind: 'invalid', reason: 'two_readings', readings });
  });

  test.each([
    // Nobody has a number with this zero.
    ['0601 123 456', 'CZ', '+420 •••••••56', '+420 ••••••••56'],
    // A spreadsheet dropped the zero, which is part of a number in Italy.
    ['612345678', 'IT', '+39 ••••••••78', '+39 •••••••78'],
    ['2 1234 5678', 'IT', '+39 ••••••••78', '+39 •••••••78'],
    // A mobile number without its zero, or a landline with it.
    ['+39 (0)312 3456789', undefined, '+39 ••••••••89', '+39 •••••••••89'],
    // Behind the country code.
    ['+48 0601 123 456', undefined, '+48 •••••••56', '+48 ••••••••56'],
    ['+420 0601 123 456', 'DE', '+420 •••••••56', '+420 ••••••••56'],
    ['+39 0333 1234567', undefined, '+39 ••••••••67', '+39 •••••••••67'],
  ])('refuses %j with %s, which may be %s or, with another zero, %s', (raw, country, ...readings) => {
    // To say how it is written does not help.
    for (const numbers of [undefined, 'national'] as const) {
      const parsed = parsePhoneNumber(raw, { country, numbers });
      expect(parsed).toEqual({ kind: 'invalid', reason: 'zero_unclear', readings });
    }
  });

  test.each<[string, string | undefined, Numbering['numbers'], string]>([
    ['491713920012', 'DE', 'international', '+491713920012'],
    ['491713920012', undefined, 'international', '+491713920012'],
    ['00491713920012', undefined, 'international', '+491713920012'],
    ['017139200013', 'DE', 'international', '+4917139200013'],
    ['5215512345678', undefined, 'international', '+525512345678'],
    ['491713920012', 'DE', 'national', '+49491713920012'],
    ['15123456789', 'DE', 'national', '+4915123456789'],
    ['+491713920014', 'DE', 'national', '+491713920014'],
  ])('reads %j with %s as %s', (raw, country, numbers, e164) => {
    expect(parsePhoneNumber(raw, { country, numbers })).toEqual({ kind: 'ok', e164 });
  });

  test.each([
    ['030 23125012/13', 'DE', '+49 ••••••••12', '+49 ••••••••13'],
    ['+49 171 3920015/6', undefined, '+49 ••••••••15', '+49 ••••••••16'],
    ['0171 5550123 0171 5550124', 'DE', '+49 ••••••••23', '+49 ••••••••24'],
    ['0171 5550123 - 0171 5550124', 'DE', '+49 ••••••••23', '+49 ••••••••24'],
    ['030 231251 (52)', 'DE', '+49 ••••••51', '+49 ••••••52'],
    ['+15551230000; +15551230001', undefined, '+1 ••••••••00', '+1 ••••••••01'],
    ['+15551230000 or +15551230001', undefined, '+1 ••••••••00', '+1 ••••••••01'],
    ['+15551230000/1', undefined, '+1 ••••••••00', '+1 ••••••••01'],
    ['+15551230000+15551230001', undefined, '+1 ••••••••00', '+1 ••••••••01'],
    ['15551230000\n15551230001', 'US', '+1 ••••••••00', '+1 ••••••••01'],
    ['0171 5550123, oder: 0171 5550124', 'DE', '+49 ••••••••23', '+49 ••••••••24'],
    ['(212) 555-0123 or 555-0124', 'US', '+1 ••••••••23', '+1 ••••••••24'],
    // A mobile number has no rest to dial after it, other than a landline.
    ['0171 3920012-3', 'DE', '+49 ••••••••12', '+49 ••••••••13'],
    ['0171 3920012 - 13', 'DE', '+49 ••••••••12', '+49 ••••••••13'],
    ['0171 3920012.3', 'DE', '+49 ••••••••12', '+49 ••••••••13'],
  ])('refuses %j, which holds two numbers', (raw, country, ...readings) => {
    expect(parsePhoneNumber(raw, { country })).toEqual({ kind: 'invalid', reason: 'two_numbers', readings });
  });

  test.each([
    '+1 415 555 2671 ext. 5',
    '+1 415 555 2671 x5',
    '+1 415 555 2671 #5',
    '+1 415 555 2671;ext=5',
    '+1 415 555 2671 Durchwahl 5',
  ])('refuses %j, which has an extension', (raw) => {
    const readings = ['+1 ••••••••71', '+1 ••••••••71 ext. •'];
    expect(parsePhoneNumber(raw)).toEqual({ kind: 'invalid', reason: 'has_extension', readings });
  });

  test('of a long text ends soon', () => {
    expect(parsePhoneNumber('030 231251/'.repeat(3_000), { country: 'DE' }).kind).toBe('invalid');
  });
});

function isRefusedOr(e164: string, parsed: ParsedPhoneNumber): boolean {
  return parsed.kind === 'invalid' || parsed.e164 === e164;
}

describe('every country', () => {
  const countries = getCountries();
  const numbers = countries.flatMap((country) => getExampleNumber(country, examples) ?? []);

  test.each(countries)('%s reads its own number, and no foreign one without + as its own', (country) => {
    for (const number of numbers) {
      const bare = number.number.slice(1);
      const parsed = parsePhoneNumber(bare, { country });
      if (parsed.kind === 'invalid' || parsed.e164 === number.number) continue;
      // Only a valid number that is written exactly as in the country itself.
      const own = parsePhoneNumberFromString(parsed.e164);
      expect([bare, own?.isValid(), own?.formatNational().replaceAll(/\D/g, '')]).toEqual([bare, true, bare]);
      expect(own?.countryCallingCode).not.toBe(number.countryCallingCode);
    }
    const own = getExampleNumber(country, examples);
    if (own === undefined) return;
    const national = own.formatNational();
    const bare = own.number.slice(1);
    const ok = { kind: 'ok', e164: own.number };
    expect(parsePhoneNumber(own.formatInternational())).toEqual(ok);
    expect(parsePhoneNumber(national, { country })).toEqual(ok);
    expect(parsePhoneNumber(national, { country, numbers: 'national' })).toEqual(ok);
    expect(parsePhoneNumber(bare, { country, numbers: 'international' })).toEqual(ok);
    expect(parsePhoneNumber(bare, { numbers: 'international' })).toEqual(ok);
    // Abroad, people and programs write the same number in these ways.
    const international = own.formatInternational();
    for (const text of [`00${bare}`, international.replace('+', '00 '), `${own.number}.0`]) {
      for (const numbers of [undefined, 'international'] as const) {
        const parsed = parsePhoneNumber(text, { country, numbers });
        expect([text, isRefusedOr(own.number, parsed)]).toEqual([text, true]);
      }
    }
    // Such as a landline in Italy.
    const stray = parsePhoneNumber(`0${own.nationalNumber}`, { country });
    const isAnother = stray.kind === 'ok' && parsePhoneNumberFromString(stray.e164)?.isValid() === true;
    const hasZero = own.nationalNumber.startsWith('0');
    expect(hasZero || isAnother || isRefusedOr(own.number, stray)).toBe(true);
    const zero = parsePhoneNumber(`+${own.countryCallingCode} (0)${own.nationalNumber}`);
    expect(isRefusedOr(own.number, zero)).toBe(true);
    for (const tail of [
      '/1',
      ' / 52',
      ', 1',
      ';52',
      ' or 1',
      '|1',
      '\n52',
      ' & 1',
      '#52',
      '_1',
      '+52',
      '.1',
      '.52',
      ' -1',
      ' – 52',
    ]) {
      for (const text of [`${own.number}${tail}`, `00${bare}${tail}`]) {
        expect([text, parsePhoneNumber(text, { country }).kind]).toEqual([text, 'invalid']);
        expect([text, parsePhoneNumber(text, { numbers: 'international' }).kind]).toEqual([text, 'invalid']);
      }
    }
    for (const [text, reason] of [
      [`${own.number}; ${own.number}`, 'two_numbers'],
      [`${national} or ${national}`, 'two_numbers'],
      [`${own.number}/7`, 'two_numbers'],
      [`${own.number} ext. 7`, 'has_extension'],
    ] as const) {
      expect(parsePhoneNumber(text, { country })).toMatchObject({ reason });
    }
  });
});

describe('maskPhoneNumber', () => {
  test.each([
    ['+15551230091', '+1•••91'],
    ['+4930123456', '+49•••56'],
    ['+99912345678', '+•••78'],
    ['0301234', '•••'],
    ['', '•••'],
  ])('of %j is %s', (text, masked) => {
    expect(maskPhoneNumber(text)).toBe(masked);
  });
});
