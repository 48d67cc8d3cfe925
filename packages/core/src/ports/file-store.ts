export interface ByteRange {
  start: number;
  /** The last byte of the range. */
  end: number;
}

/**
 * Stores the bytes of uploaded files where every process on every machine can read them.
 *
 * Files are streamed, and are never completely in memory. The caller chooses the keys, which are never reused, and consist of lower-case letters,
 * digits, `-` and `/`.
 */
export interface FileStore {
  /**
   * Stores `bytes` under `key`. Resolves when they are durable. Rejects with the error that `bytes` throws, and may
   * then leave a part behind, so the caller removes the key.
   */
  write(key: string, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  /**
   * Reads a file, or only the bytes of `range`, which holds inclusive offsets within the file. Does not read the bytes before the range.
   * @throws FileMissingError during reading if there is nothing under `key`.
   */
  read(key: string, range?: ByteRange): AsyncIterable<Uint8Array>;
  /** Deletes the bytes. An unknown key is not an error, so this can be repeated. */
  remove(key: string): Promise<void>;
}
