import {
  faultOfNumber,
  isCountry,
  numberNotations,
  type Numbering,
  parsePhoneNumber,
  withPauses,
} from '@outdial/core';
import { z } from 'zod';
import { faultMessage } from './fault-message.ts';

/** An item of an import, unvalidated, with its position. */
export interface ImportLine {
  line: number;
  item: Record<string, unknown>;
}

export interface RefusedLine {
  line: number;
  field: string | null;
  reason: string;
}

const countryMessage = 'Input should be a two-letter country code (ISO 3166), such as US';

/** The country of numbers that are written in their national format. */
export const countryOfNumbers = z
  .string()
  .regex(/^[A-Za-z]{2}$/, countryMessage)
  .refine((code) => isCountry(code.toUpperCase()), {
    error: ({ input }) =>
      `${countryMessage}${String(input).toUpperCase() === 'UK' ? '; the United Kingdom is GB' : ''}`,
    params: { type: 'value_error' },
  })
  .nullish()
  .describe('The country of phone numbers without a leading `+`, as a two-letter code (ISO 3166).');

/** How numbers without a leading `+` are written, for a whole list. */
export const notationOfNumbers = z
  .enum(numberNotations)
  .nullish()
  .describe(
    'How phone numbers without a leading `+` are written: `international`, with the country code (spreadsheets drop the `+`), or `national`, as in `country`. ' +
      'Without it, a number that can be read both ways is refused with both readings.',
  );

/** What a body says about its numbers. */
export function numberingOf(body: {
  country?: string | null | undefined;
  numbers?: Numbering['numbers'] | null;
}): Numbering {
  return { country: body.country ?? undefined, numbers: body.numbers ?? undefined };
}

/** The part of a form that says what the columns of its file mean. */
export const columnMapping = z
  .string()
  .max(100_000)
  .nullish()
  .describe(
    'In a form, a JSON object that maps the names of columns of the file to fields, such as `{"Handy": "phone_number"}`, or to null to leave a column out.',
  );

/** Fields of a body with many items. A form has a file instead of `items`. */
export const importedItems = (atMost: number, description: string) => ({
  items: z
    .array(z.record(z.string().max(100), z.unknown()))
    .min(1)
    .max(atMost)
    .optional()
    .describe(description),
  country: countryOfNumbers,
  numbers: notationOfNumbers,
  mapping: columnMapping,
});

export const rowsOfList = z
  .int()
  .describe('The number of rows of the file without its first line and blank ones, or of items.');

/** The data of the answer. */
export const refusedLines = z
  .array(z.object({ line: z.int(), field: z.string().nullable(), reason: z.string() }))
  .describe(
    'The rows that were skipped, each with its line in the file or its position in `items`, counted from 1.',
  );

/** Why a line is not accepted, though each of its fields is well-formed. */
export interface LineFault {
  field: string;
  msg: string;
}

/** Parses and judges the lines of an import. Ten thousand take a second or more, in which others are served too. */
export async function judgeLines<Item, Accepted extends object>(
  lines: readonly ImportLine[],
  { schema, numbering }: { schema: z.ZodType<Item>; numbering: Numbering },
  judge: (item: Item) => Accepted | LineFault,
): Promise<{ accepted: Accepted[]; refused: RefusedLine[] }> {
  const accepted: Accepted[] = [];
  const refused: RefusedLine[] = [];
  for await (const one of withPauses(lines)) {
    const parsed = parseLine(schema, one, numbering);
    if ('refused' in parsed) {
      refused.push(parsed.refused);
      continue;
    }
    const judged = judge(parsed.item);
    if ('msg' in judged) refused.push({ line: one.line, field: judged.field, reason: judged.msg });
    else accepted.push(judged);
  }
  return { accepted, refused };
}

/** The item, or its first fault. Its phone number may be written as in a spreadsheet. */
function parseLine<Item>(
  schema: z.ZodType<Item>,
  { line, item }: ImportLine,
  numbering: Numbering,
): { item: Item } | { refused: RefusedLine } {
  const { phone_number: text } = item;
  const number = typeof text === 'string' ? parsePhoneNumber(text, numbering) : null;
  if (number?.kind === 'invalid') {
    return { refused: { line, field: 'phone_number', reason: faultOfNumber(number) } };
  }
  const written = number === null ? item : { ...item, phone_number: number.e164 };
  const parsed = schema.safeParse(written, { error: faultMessage });
  if (parsed.success) return { item: parsed.data };
  const [issue] = parsed.error.issues;
  const field = issue?.path[0];
  return {
    refused: { line, field: field === undefined ? null : String(field), reason: issue?.message ?? '' },
  };
}
