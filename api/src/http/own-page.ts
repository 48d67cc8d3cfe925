import type { Request } from 'express';
import { HttpError } from './errors.ts';

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/** A page of another origin cannot send this header without a CORS preflight, which is refused. */
export const consoleHeader = 'x-outdial-console';

/**
 * A session is a cookie, which browsers send automatically. So a request that changes something must carry a header that only the console's
 * scripts can send, and must come from the console's origin (`Sec-Fetch-Site`, `Origin`). Reads that browsers start (audio, downloads,
 * event streams) have no such header, and are refused if another site started them.
 * @throws ForeignPageError
 */
export function requireOwnPage(req: Request, publicUrl: string | null): void {
  const site = req.headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw new ForeignPageError();
  if (safeMethods.has(req.method)) return;
  if (req.headers[consoleHeader] === undefined || !isOwnOrigin(req, publicUrl)) throw new ForeignPageError();
}

function isOwnOrigin({ headers: { origin, host } }: Request, publicUrl: string | null): boolean {
  if (origin === undefined) return true;
  if (!URL.canParse(origin)) return false;
  if (publicUrl !== null && new URL(publicUrl).origin === origin) return true;
  return new URL(origin).host === host;
}

export class ForeignPageError extends HttpError {
  readonly status = 403;
  readonly code = 'foreign_origin';

  constructor() {
    super('With a session, this can only be done from the console');
  }
}
