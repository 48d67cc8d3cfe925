import type { Readable } from 'node:stream';
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
  type Zlib,
} from 'node:zlib';
import type { Request } from 'express';
import { MalformedRequestError, PayloadTooLargeError, UnsupportedMediaTypeError } from './errors.ts';

/** Up to this size, a body may decompress at any ratio. */
const anyRatioBytes = 64 * 1024;
/** Long lists of numbers shrink to a tenth. A text that shrinks to a hundredth is an attack. */
const ratioAtMost = 100;
/** A zstd frame may request a window of 2 GiB; its levels up to 19 use eight megabytes. */
const zstdWindowLog = 23;

type Decompressor = Readable & NodeJS.ReadWriteStream & Zlib;

const decompressors: Readonly<Record<string, () => Decompressor>> = {
  gzip: () => createGunzip(),
  'x-gzip': () => createGunzip(),
  deflate: () => createInflate(),
  br: () => createBrotliDecompress(),
  zstd: () => createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: zstdWindowLog } }),
};

/**
 * The bytes of a body in chunks, decompressed as `Content-Encoding` requires (RFC 9110, section 8.4). Fails as soon as they exceed
 * `limitBytes`, or decompress to far more than was sent, without reading the rest. The request stays open, so that the answer can be sent.
 *
 * @throws PayloadTooLargeError · UnsupportedMediaTypeError · MalformedRequestError
 */
export async function* readBody(req: Request, limitBytes: number): AsyncGenerator<Buffer, void> {
  if (Number(req.headers['content-length'] ?? 0) > limitBytes) throw tooLarge(limitBytes);
  const encoding = (req.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding === 'identity') {
    yield* bounded(plainBytes(req), limitBytes);
    return;
  }
  const create = decompressors[encoding];
  if (create === undefined) throw new UnsupportedMediaTypeError('The content encoding is not supported');
  yield* unpacked(req, create(), limitBytes);
}

async function* unpacked(
  req: Request,
  decompressor: Decompressor,
  limitBytes: number,
): AsyncGenerator<Buffer, void> {
  const onClose = () => {
    if (!req.complete) decompressor.destroy(endedEarly());
  };
  req.once('close', onClose);
  req.pipe(decompressor);
  let length = 0;
  try {
    for await (const chunk of bounded(decompressor, limitBytes)) {
      length += chunk.length;
      if (length > anyRatioBytes && length > decompressor.bytesWritten * ratioAtMost) {
        throw new PayloadTooLargeError(`The body decompresses to more than ${ratioAtMost} times its size`);
      }
      yield chunk;
    }
  } catch (error) {
    if (error instanceof PayloadTooLargeError || error instanceof MalformedRequestError) throw error;
    throw new MalformedRequestError('malformed_body', 'The body cannot be decompressed', { cause: error });
  } finally {
    req.off('close', onClose);
    req.unpipe(decompressor);
    decompressor.destroy();
  }
}

async function* plainBytes(req: Request): AsyncGenerator<Buffer, void> {
  try {
    // Does not destroy the request, because its answer uses the same connection.
    yield* req.iterator({ destroyOnReturn: false });
  } catch (error) {
    throw endedEarly(error);
  }
}

async function* bounded(chunks: AsyncIterable<Buffer>, limitBytes: number): AsyncGenerator<Buffer, void> {
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > limitBytes) throw tooLarge(limitBytes);
    yield chunk;
  }
}

function tooLarge(limitBytes: number): PayloadTooLargeError {
  return new PayloadTooLargeError(`The body is larger than ${limitBytes} bytes`);
}

function endedEarly(cause?: unknown): MalformedRequestError {
  return new MalformedRequestError('malformed_body', 'The body ended early', { cause });
}
