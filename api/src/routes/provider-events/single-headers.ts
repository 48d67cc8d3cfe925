import type { Request } from 'express';

/** A header that came more than once is not what a provider signs. */
export function singleHeaders(req: Request): Record<string, string> {
  return Object.fromEntries(
    Object.entries(req.headers).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value]] : [],
    ),
  );
}
