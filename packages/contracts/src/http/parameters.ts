import { z } from 'zod';

/** A query parameter that must be a plain decimal integer, without a plus sign, an exponent or spaces. */
export function integerParameter(bounds: { minimum: number; maximum: number }) {
  return z
    .string()
    .transform((text, context) => {
      if (/^-?\d{1,15}$/.test(text)) return Number(text);
      context.issues.push({
        code: 'custom',
        input: text,
        message: 'Input should be a valid integer',
        params: { type: 'int_parsing' },
      });
      return z.NEVER;
    })
    .pipe(z.int().min(bounds.minimum).max(bounds.maximum));
}

/** Postgres counts offsets in 64 bits; a page number beyond this is past the end of any list. */
const lastPage = 1_000_000_000;

/** `page` and `size` of a list. A list that the contract does not page passes its own default size. */
export function pageParameters({
  defaultSize,
  maximumSize = 100,
}: {
  defaultSize: number;
  maximumSize?: number;
}) {
  return z.object({
    page: integerParameter({ minimum: 1, maximum: lastPage }).default(1),
    size: integerParameter({ minimum: 1, maximum: maximumSize }).default(defaultSize),
  });
}
