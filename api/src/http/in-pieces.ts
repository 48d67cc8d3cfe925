const pieceBytes = 65_536;

/** Splits a file in memory into pieces, so that other requests are served while a long file is processed. */
export async function* inPieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    yield bytes.subarray(at, at + pieceBytes);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
