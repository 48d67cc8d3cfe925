import { isE164 } from '@outdial/core';
import { z } from 'zod';
import { andMore } from './errors.ts';
import { e164Message } from './fields.ts';
import type { Warning } from './warning.ts';

export const phoneNumbersAtMost = 1_000_000;

const personMessage = `${e164Message}; data about a person belongs in \`additional_params.recipients\`, with the number as its key`;

/** The most faults that an answer lists. */
const faultsAtMost = 100;

/**
 * The numbers of a campaign, validated in one loop, because a schema for each of a million elements takes seconds and hundreds of megabytes. Reports
 * at most a hundred faults, each with its element. Returns each number once, at its first position.
 */
export const phoneNumbers = z
  .unknown()
  .transform((value, context): string[] => {
    const fault = (path: number[], message: string, type: string): void => {
      context.issues.push({ code: 'custom', input: value, path, message, params: { type } });
    };
    if (!Array.isArray(value)) {
      fault([], 'Input should be a valid list, such as ["+15550100123"]', 'list_type');
      return z.NEVER;
    }
    if (value.length === 0) fault([], 'List should have at least 1 item', 'too_short');
    if (value.length > phoneNumbersAtMost) {
      fault([], `List should have at most ${phoneNumbersAtMost} items`, 'too_long');
      return z.NEVER;
    }
    const items: unknown[] = value;
    let more = 0;
    for (const [index, item] of items.entries()) {
      if (typeof item === 'string' && isE164(item)) continue;
      if (context.issues.length >= faultsAtMost) more += 1;
      else if (typeof item === 'object') fault([index], personMessage, 'string_type');
      else if (typeof item !== 'string') fault([index], e164Message, 'string_type');
      else fault([index], e164Message, 'string_pattern_mismatch');
    }
    for (const { msg, type } of andMore([], more)) fault([], msg, type);
    if (context.issues.length > 0) return z.NEVER;
    // The loop above has checked that each is a string.
    const numbers = items as string[];
    return hasRepeats(numbers) ? [...new Set(numbers)] : numbers;
  })
  .meta({
    type: 'array',
    items: { type: 'string', pattern: '^\\+[1-9]\\d{6,14}$' },
    minItems: 1,
    maxItems: phoneNumbersAtMost,
    description:
      'The phone numbers to call, in E.164 format and in the order of dialing. A repeated number is dialed once, at its first position, and named in `meta.warnings`.',
  });

/**
 * Whether a number occurs twice. E.164 has at most fifteen digits and no leading zero, so each number is a distinct double, and a sorted
 * list of doubles takes a tenth of the memory of a set of strings.
 */
function hasRepeats(numbers: readonly string[]): boolean {
  const values = new Float64Array(numbers.length);
  for (const [at, number] of numbers.entries()) values[at] = Number(number.slice(1));
  // In place: it is eight megabytes.
  values.sort();
  return values.some((value, at) => value === values[at - 1]);
}

const repeatsNamed = 20;

/**
 * Names the items of a list that repeat the number of an earlier one.
 * @param given the body as it was sent
 * @param numbers its numbers as `phoneNumbers` returns them
 */
export function repeatedNumberWarnings(
  given: unknown,
  numbers: readonly string[] | null | undefined,
): Warning[] {
  const sent = typeof given === 'object' && given !== null && 'phone_numbers' in given && given.phone_numbers;
  if (!Array.isArray(sent) || numbers == null || sent.length === numbers.length) return [];
  const seen = new Set<unknown>();
  const named: string[] = [];
  for (const [at, number] of sent.entries()) {
    if (seen.has(number) && named.length < repeatsNamed) named.push(`phone_numbers[${at}]`);
    seen.add(number);
  }
  const more = sent.length - numbers.length - named.length;
  const items = named.join(', ') + (more > 0 ? `, and ${more} more` : '');
  const msg = `These items repeat the number of an earlier one, which is dialed once: ${items}`;
  return [{ code: 'repeated_number', loc: ['body', 'phone_numbers'], msg }];
}
