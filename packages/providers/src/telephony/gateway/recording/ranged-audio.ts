import type { IncomingMessage } from 'node:http';
import { CodedError, type Recording } from '@outdial/core';

/** The host of a recording answered with something other than audio. */
class RecordingUnavailableError extends CodedError {
  readonly code = 'recording_unavailable';
}

/**
 * Opens audio on an HTTP host. Null if there is none yet.
 * @param get sends a request with this `Range` header, or without one
 * @throws RecordingUnavailableError, or the errors of `get`
 */
export async function openRangedAudio(
  get: (range: string | null) => Promise<IncomingMessage>,
): Promise<Recording | null> {
  const first = await get('bytes=0-0');
  const size = sizeOf(first);
  const contentType = first.headers['content-type'] ?? 'application/octet-stream';
  const { statusCode } = first;
  first.destroy();
  if (statusCode === 404 || statusCode === 410) return null;
  if (statusCode !== 200 && statusCode !== 206 && statusCode !== 416) {
    throw new RecordingUnavailableError('The recording cannot be read', {
      internal: `the recording's host answered ${statusCode}`,
    });
  }
  return {
    contentType,
    size,
    async *read(range) {
      const response = await get(range ? `bytes=${range.start}-${range.end}` : null);
      yield* bytesOf(response, range);
    },
  };
}

/** The size in bytes; null if the host does not report it. */
function sizeOf(response: IncomingMessage): number | null {
  const { statusCode, headers } = response;
  const total =
    statusCode === 200
      ? headers['content-length']
      : /^bytes (?:[\d-]+|\*)\/(\d+)$/.exec(headers['content-range'] ?? '')?.[1];
  return total !== undefined && /^\d+$/.test(total) ? Number(total) : null;
}

/** Yields the requested bytes, even if the host ignores the range and sends the whole file. */
async function* bytesOf(
  response: IncomingMessage,
  range: { start: number; end: number } | undefined,
): AsyncGenerator<Uint8Array> {
  const isWhole = response.statusCode === 200;
  if (!isWhole && !(response.statusCode === 206 && range)) {
    response.destroy();
    throw new RecordingUnavailableError('The recording cannot be read', {
      internal: `the recording's host answered ${response.statusCode}`,
    });
  }
  const skip = isWhole && range ? range.start : 0;
  const end = range ? skip + (range.end - range.start) : Number.POSITIVE_INFINITY;
  let position = 0;
  for await (const chunk of response) {
    // A stream without an encoding yields buffers.
    const piece = chunk as Buffer;
    const from = Math.max(0, skip - position);
    const to = Math.min(piece.length, end - position + 1);
    position += piece.length;
    if (from < to) yield piece.subarray(from, to);
    if (position > end) break;
  }
}
