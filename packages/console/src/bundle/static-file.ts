import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip as gzipCallback } from 'node:zlib';

const brotli = promisify(brotliCompress);
const gzip = promisify(gzipCallback);

/** A file that all requests for it share. */
export interface StaticFile {
  contentType: string;
  /** The validator of its content. Weak: the same content may be compressed or not. */
  etag: string;
  bytes: Buffer;
  /** The same, compressed once and for all. */
  br: Buffer;
  gzip: Buffer;
}

const contentTypes: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json; charset=utf-8',
  png: 'image/png',
  svg: 'image/svg+xml',
};

/** Compresses in other threads. */
export async function staticFile(name: string, content: Buffer | string): Promise<StaticFile> {
  const bytes = Buffer.from(content);
  return {
    contentType: contentTypes[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream',
    etag: `W/"${hash('sha1', bytes, 'base64url')}"`,
    bytes,
    br: await brotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
    gzip: await gzip(bytes, { level: 9 }),
  };
}
