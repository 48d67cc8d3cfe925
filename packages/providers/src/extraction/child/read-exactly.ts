import type { Readable } from 'node:stream';

/** Reads `size` bytes from a stream, and leaves the rest in it. */
export async function readExactly(stream: Readable, size: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(size);
  let filled = 0;
  while (filled < size) {
    const chunk: unknown = stream.read(Math.min(size - filled, Math.max(1, stream.readableLength)));
    if (chunk instanceof Uint8Array) {
      bytes.set(chunk, filled);
      filled += chunk.length;
    } else {
      await readable(stream);
    }
  }
  return bytes;
}

function readable(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    stream.once('readable', resolve);
  });
}
