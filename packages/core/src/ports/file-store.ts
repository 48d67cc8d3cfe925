/**
 * Keeps the bytes of uploaded files where every process on every machine can read them.
 *
 * Nothing is ever held whole: bytes go in and come out as they arrive. Keys are chosen by the caller, are never
 * used twice, and consist of lower-case letters, digits, `-` and `/`.
 */
export interface FileStore {
  /**
   * Keeps `bytes` under `key`. Resolves when they are durable. Rejects with the error that `bytes` throws, and may
   * then leave a part behind: the caller removes the key.
   */
  write(key: string, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  /** @throws FileMissingError while it is read, when nothing is kept under `key`. */
  read(key: string): AsyncIterable<Uint8Array>;
  /** Forgets the bytes. A key that is unknown is no error, so that it can be repeated. */
  remove(key: string): Promise<void>;
}
