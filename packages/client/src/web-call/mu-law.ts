/** Samples of a telephone line (ITU-T G.711, µ-law), 8,000 a second. */
export const lineRate = 8_000;
/** Bytes, and samples, of 20 ms. */
export const frameBytes = 160;

const bias = 0x84;
const clip = 32_635;

/** @param sample from -1 to 1 */
export function encode(sample: number): number {
  const magnitude = Math.min(Math.round(Math.abs(sample) * 32_768), clip) + bias;
  const exponent = 31 - Math.clz32(magnitude) - 7;
  const mantissa = (magnitude >> (exponent + 3)) & 0x0f;
  return ~((sample < 0 ? 0x80 : 0) | (exponent << 4) | mantissa) & 0xff;
}

export function decode(byte: number): number {
  const inverted = ~byte & 0xff;
  const magnitude = ((((inverted & 0x0f) << 3) + bias) << ((inverted >> 4) & 7)) - bias;
  return ((inverted & 0x80) === 0 ? magnitude : -magnitude) / 32_768;
}
