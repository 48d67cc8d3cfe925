import { createHash } from 'node:crypto';

/** Hash trees of RFC 6962, section 2.1: leaves are hashed after a byte 0, and pairs of hashes after a byte 1. */
export function leafHash(text: string | Buffer): Buffer {
  return createHash('sha256').update(Buffer.of(0)).update(text).digest();
}

/** The root over hashes of leaves, of which there is at least one. */
export function rootOf(hashes: readonly Buffer[]): Buffer {
  const [only] = hashes;
  if (only !== undefined && hashes.length === 1) return only;
  const half = halfOf(hashes.length);
  return createHash('sha256')
    .update(Buffer.of(1))
    .update(rootOf(hashes.slice(0, half)))
    .update(rootOf(hashes.slice(half)))
    .digest();
}

/** The hashes that lead from a leaf to the root, the nearest first. */
export function pathOf(index: number, hashes: readonly Buffer[]): Buffer[] {
  if (hashes.length <= 1) return [];
  const half = halfOf(hashes.length);
  const left = hashes.slice(0, half);
  const right = hashes.slice(half);
  return index < half
    ? [...pathOf(index, left), rootOf(right)]
    : [...pathOf(index - half, right), rootOf(left)];
}

/** The largest power of two below a count. */
function halfOf(count: number): number {
  return 2 ** (Math.ceil(Math.log2(count)) - 1);
}
