import type { Request } from 'express';

/** Omits headers that occur more than once, which a provider would not sign. */
export function singleHeaders(req: Request): Record<string, string> {
  return Object.fromEntries(
    Object.entries(req.headers).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value]] : [],
    ),
  );
}
