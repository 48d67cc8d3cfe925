import { constants } from 'node:zlib';
import compression from 'compression';
import type { RequestHandler } from 'express';

/** Smaller answers fit in one packet uncompressed. */
const thresholdBytes = 1024;

/**
 * Compresses JSON on request, including streams. Uses fast levels, so that an answer with a million numbers does not block the process for
 * seconds.
 */
export function compressJson(): RequestHandler {
  const compress = compression({
    threshold: thresholdBytes,
    level: 4,
    brotli: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
    // Operators' pages show secrets next to user input, and audio is already compressed.
    filter: (_req, res) => String(res.getHeader('Content-Type')).startsWith('application/json'),
  });
  return (req, res, next) => {
    // Most callers do not request compression.
    if (req.headers['accept-encoding'] === undefined) next();
    else compress(req, res, next);
  };
}
