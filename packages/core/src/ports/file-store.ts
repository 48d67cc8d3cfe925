export interface ByteRange {
  start: number;
  /** The last byte of the range. */
  end: number;
}

/**
 * Stores the bytes of uploaded files where every process on every machine can read them.
 *
 * No file is ever held in memory as a whole: bytes are streamed in and out. The caller chooses the keys, which are never
 * reused, and consist of lower-case letters, digits, `-` and `/`.
 */
export interface FileStore {
  /**
   * Stores `bytes` under `key`. Resolves when they are durable. Rejects with the error that `bytes` throws, and may
   * then leave a part behind, so the caller removes the key.
   */
  write(key: string, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  /**
   * Reads a file, or only the bytes of `range`, which holds inclusive offsets within the file. What comes before them is not read.
   * @throws FileMissingError during reading if there is nothing under `key`.
   */
  read(key: string, range?: ByteRange): AsyncIterable<Uint8Array>;
  /** Deletes the bytes. An unknown key is not an error, so this can be repeated. */
  remove(key: string): Promise<void>;
}
