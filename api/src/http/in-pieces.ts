const pieceBytes = 65_536;

/** A file that is in memory, in pieces: other requests are answered while a long one is read. */
export async function* inPieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    yield bytes.subarray(at, at + pieceBytes);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
