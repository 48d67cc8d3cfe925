import type { PhoneNumberFault } from './phone-number.ts';

/** What is wrong with a phone number, to follow "The row …". @param option precedes the names of the settings `country` and `numbers` */
export function faultOfNumber(fault: PhoneNumberFault, option = ''): string {
  switch (fault.reason) {
    case 'empty':
      return 'has no phone number';
    case 'not_a_number':
      return 'has an invalid phone number; write it like +15550100123';
    case 'rounded':
      return 'has a phone number that a spreadsheet has rounded: format the column as text, and enter the number again';
    case 'decimal':
      return 'has a phone number with decimals, as programs write a column of numbers: write phone numbers as text, with their zeros and plus signs';
    case 'date':
      return 'has a date in place of a phone number. If it is a number, write it with +';
    case 'country_unknown':
      return `has a phone number without a country code: write it with +, or set ${option}country`;
    case 'too_short':
      return 'has a phone number that is too short';
    case 'too_long':
      return 'has a phone number that is too long';
    case 'wrong_length':
      return 'has a phone number with the wrong length for its country';
    case 'two_readings':
      return `has a phone number that can be read in two ways: ${fault.readings[0]} with its country code, or ${fault.readings[1]} as a national number. Write it with +, or set ${option}numbers to international or national for the whole list`;
    case 'zero_unclear':
      return `has a phone number with a zero too few or too many: ${fault.readings.join(' or ')}. Write it with +, in digits only, as it is dialed from abroad`;
    case 'two_numbers':
      return `has two phone numbers, ${fault.readings.join(' and ')}: write each in a row of its own, or one number in digits only`;
    case 'has_extension':
      return `has a phone number with an extension, which cannot be dialed: ${fault.readings.join(' or ')}. Leave the extension out if the number alone reaches the person`;
  }
}
