/** Reads little-endian 16-bit samples from chunks of bytes. A chunk may end in the middle of a sample. */
export function createSampleReader(): (bytes: Uint8Array) => Int16Array<ArrayBuffer> {
  let odd: number | null = null;
  return (bytes) => {
    const all = odd === null ? bytes : Uint8Array.from([odd, ...bytes]);
    const count = all.length >> 1;
    odd = all.length % 2 === 1 ? (all.at(-1) ?? null) : null;
    const view = new DataView(all.buffer, all.byteOffset, count * 2);
    return Int16Array.from({ length: count }, (_, index) => view.getInt16(index * 2, true));
  };
}

/** A WAV file of 16-bit samples. */
export function wavFile(
  samples: Int16Array,
  format: { rate: number; channels: number },
): Buffer<ArrayBuffer> {
  const body = Buffer.alloc(samples.length * 2);
  for (let at = 0; at < samples.length; at += 1) body.writeInt16LE(samples[at] ?? 0, at * 2);
  return Buffer.concat([wavHeader(body.length, format), body]);
}

export function wavHeader(
  bytes: number,
  { rate, channels }: { rate: number; channels: number },
): Buffer<ArrayBuffer> {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + bytes, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(channels, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(rate * channels * 2, 28);
  header.writeUInt16LE(channels * 2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(bytes, 40);
  return header;
}
