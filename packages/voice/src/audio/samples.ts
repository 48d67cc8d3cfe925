/** Reads little-endian 16-bit samples from chunks of bytes. A chunk may end in the middle of a sample. */
export function createSampleReader(): (bytes: Uint8Array) => Int16Array<ArrayBuffer> {
  let odd: number | null = null;
  return (bytes) => {
    const all = odd === null ? bytes : Buffer.concat([Uint8Array.of(odd), bytes]);
    const count = all.length >> 1;
    odd = all.length % 2 === 1 ? (all.at(-1) ?? null) : null;
    const view = new DataView(all.buffer, all.byteOffset, count * 2);
    const samples = new Int16Array(count);
    for (let at = 0; at < count; at += 1) samples[at] = view.getInt16(at * 2, true);
    return samples;
  };
}

export function wavFile(
  samples: Int16Array,
  format: { rate: number; channels: number },
): Buffer<ArrayBuffer> {
  const header = wavHeader(samples.length * 2, format);
  const file = Buffer.alloc(header.length + samples.length * 2);
  file.set(header);
  for (let at = 0; at < samples.length; at += 1) {
    file.writeInt16LE(samples[at] ?? 0, header.length + at * 2);
  }
  return file;
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
