/** Samples per second of a telephone line (ITU-T G.711, µ-law). */
export const lineRate = 8_000;
export const frameMs = 20;
/** Bytes of µ-law, and samples, in a frame. */
export const frameBytes = 160;
export const silentByte = 0xff;
export const silentFrame: Uint8Array = new Uint8Array(frameBytes).fill(silentByte);

const bias = 0x84;
const clip = 32_635;

const decoded = Int16Array.from({ length: 256 }, (_, byte) => {
  const inverted = ~byte & 0xff;
  const magnitude = ((((inverted & 0x0f) << 3) + bias) << ((inverted >> 4) & 7)) - bias;
  return (inverted & 0x80) === 0 ? magnitude : -magnitude;
});

/** Indexed by the upper 14 bits of a sample. A table, because every call encodes 8,000 samples a second. */
const encoded = Uint8Array.from({ length: 16_384 }, (_, index) => encode((index - 8_192) * 4));

function encode(sample: number): number {
  const magnitude = Math.min(Math.abs(sample), clip) + bias;
  const exponent = 31 - Math.clz32(magnitude) - 7;
  const mantissa = (magnitude >> (exponent + 3)) & 0x0f;
  return ~((sample < 0 ? 0x80 : 0) | (exponent << 4) | mantissa) & 0xff;
}

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
