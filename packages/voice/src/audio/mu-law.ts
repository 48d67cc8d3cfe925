import { decode, encode, frameBytes } from '@outdial/client/mu-law';

export { frameBytes, lineRate } from '@outdial/client/mu-law';
export const frameMs = 20;
export const silentByte = 0xff;
export const silentFrame: Uint8Array = new Uint8Array(frameBytes).fill(silentByte);

/** The highest sample of 16 bits, and one. */
const full = 32_768;

const decoded = Int16Array.from({ length: 256 }, (_, byte) => decode(byte) * full);

/** Indexed by the upper 14 bits of a sample. A table, because every call encodes 8,000 samples a second. */
const encoded = Uint8Array.from({ length: 16_384 }, (_, index) => encode(((index - 8_192) * 4) / full));

/** @param samples is overwritten and returned; without it, each call allocates an array */
export function fromMuLaw(
  bytes: Uint8Array,
  samples: Int16Array<ArrayBuffer> = new Int16Array(bytes.length),
): Int16Array<ArrayBuffer> {
  for (let at = 0; at < bytes.length; at += 1) samples[at] = decoded[bytes[at] ?? silentByte] ?? 0;
  return samples;
}

/** @param bytes is overwritten and returned; without it, each call allocates an array */
export function toMuLaw(
  samples: Int16Array,
  bytes: Uint8Array<ArrayBuffer> = new Uint8Array(samples.length),
): Uint8Array<ArrayBuffer> {
  for (let at = 0; at < samples.length; at += 1) {
    bytes[at] = encoded[((samples[at] ?? 0) >> 2) + 8_192] ?? silentByte;
  }
  return bytes;
}
