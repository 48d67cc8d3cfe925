import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import type { Random } from '../chaos/random.ts';

const packers = {
  gzip: gzipSync,
  'x-gzip': gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
  zstd: zstdCompressSync,
  'deflate-raw': deflateRawSync,
} as const;
const names = ['gzip', 'x-gzip', 'deflate', 'br', 'zstd', 'deflate-raw'] as const;
const labels = [
  'identity',
  'gzip, gzip',
  'compress',
  'GZIP',
  ' gzip ',
  '',
  'utf-8',
  'zstd',
  'br',
  'deflate',
] as const;

export interface EncodedBody {
  bytes: Buffer;
  /** The value of `Content-Encoding`, which may be wrong. */
  label: string | undefined;
}

/** Mostly leaves the body as it is. Otherwise compresses it, and may corrupt it or label it wrongly. */
export function encodeBody(random: Random, body: Buffer): EncodedBody {
  if (random.chance(0.75)) {
    return { bytes: random.chance(0.08) ? damage(random, body) : body, label: undefined };
  }
  const name = random.pick(names);
  const plain = random.chance(0.03)
    ? Buffer.concat([body, Buffer.alloc(random.between(1, 3_000_000), ' ')])
    : body;
  const packed = packers[name](plain);
  const bytes = random.chance(0.5) ? damage(random, packed) : packed;
  return { bytes, label: random.chance(0.3) ? random.pick(labels) : name };
}

/** Truncates the bytes, changes one, appends some, removes all, or changes the text encoding. */
export function damage(random: Random, bytes: Buffer): Buffer {
  const at = random.between(0, Math.max(0, bytes.length - 1));
  const ways: [() => Buffer, ...Array<() => Buffer>] = [
    () => bytes.subarray(0, at),
    () =>
      Buffer.concat([bytes.subarray(0, at), Buffer.from([random.between(0, 255)]), bytes.subarray(at + 1)]),
    () => Buffer.concat([bytes, Buffer.from([0, 0xff, 0xfe, random.between(0, 255)])]),
    () => Buffer.alloc(0),
    () => Buffer.from(bytes.toString('latin1'), 'utf16le'),
    () => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]),
    () => Buffer.concat([bytes.subarray(0, at), Buffer.from([0xed, 0xa0, 0x80]), bytes.subarray(at)]),
    () => Buffer.concat([bytes, bytes]),
  ];
  return random.pick(ways)();
}
