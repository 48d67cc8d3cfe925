import { constants } from 'node:zlib';
import compression from 'compression';
import type { RequestHandler } from 'express';

/** Smaller answers fit one packet uncompressed. */
const THRESHOLD_BYTES = 1024;

/**
 * Compresses JSON where the caller asks for it, streams too. The levels are the fast ones: an answer of a million numbers must not keep
 * the process busy for seconds.
 */
export function compressJson(): RequestHandler {
  const compress = compression({
    threshold: THRESHOLD_BYTES,
    level: 4,
    brotli: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
    // Operators' pages show secrets next to their input, and audio is compressed already.
    filter: (_req, res) => String(res.getHeader('Content-Type')).startsWith('application/json'),
  });
  return (req, res, next) => {
    // Most callers ask for nothing, and then nothing is wrapped.
    if (req.headers['accept-encoding'] === undefined) next();
    else compress(req, res, next);
  };
}
