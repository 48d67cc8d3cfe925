import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

export interface ConsoleFile {
  contentType: string;
  bytes: Buffer;
  /** The same, compressed once and for all. */
  br: Buffer;
  gzip: Buffer;
}

export interface ConsoleFiles {
  /** Serves every path of the console. */
  page: ConsoleFile;
  /** Scripts, styles and pictures by their name, which has the hash of the content. */
  assets: ReadonlyMap<string, ConsoleFile>;
}

const contentTypes: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

export function consoleFile(name: string, bytes: Buffer): ConsoleFile {
  const contentType = contentTypes[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
  return {
    contentType,
    bytes,
    br: brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
    gzip: gzipSync(bytes, { level: 9 }),
  };
}
