import { z } from 'zod';

/** The values of `type` in a 422. Clients branch on them, so values are added and never changed. */
export const validationErrorTypes = [
  'missing',
  'string_type',
  'string_too_short',
  'string_too_long',
  'string_pattern_mismatch',
  'string_unicode',
  'int_type',
  'int_parsing',
  'float_type',
  'bool_type',
  'list_type',
  'dict_type',
  'file_type',
  'uuid_parsing',
  'datetime_parsing',
  'enum',
  'greater_than',
  'greater_than_equal',
  'less_than',
  'less_than_equal',
  'too_short',
  'too_long',
  'extra_forbidden',
  'value_error',
] as const;

export type ValidationErrorType = (typeof validationErrorTypes)[number];

/** One fault of a request. `loc` starts with `body`, `query` or `path`. */
export const validationErrorEntry = z
  .object({
    loc: z.array(z.union([z.string(), z.int()])),
    msg: z.string(),
    type: z.enum(validationErrorTypes),
  })
  .meta({ id: 'ValidationErrorEntry' });

export const validationErrorBody = z
  .object({
    detail: z.array(validationErrorEntry),
    code: z.literal('validation').describe('The code of every 422.'),
  })
  .meta({ id: 'ValidationError' });

/** Every other error: a sentence for a person and a stable code for a program. */
export const codedErrorBody = z.object({ detail: z.string(), code: z.string() }).meta({ id: 'Error' });

/** The last entry of a truncated list of faults, which counts the others. */
export function andMore(loc: ReadonlyArray<string | number>, count: number): ValidationErrorEntry[] {
  if (count <= 0) return [];
  return [
    { loc: [...loc], msg: `and ${count} more errors like these, which are not listed`, type: 'value_error' },
  ];
}

/** Whether `andMore` made this entry. */
export function countsOthers({ msg }: ValidationErrorEntry): boolean {
  return /^and \d+ more errors like these/.test(msg);
}

export type ValidationErrorEntry = z.output<typeof validationErrorEntry>;
