/** A file store has no bytes under this key. */
export class FileMissingError extends Error {
  readonly code = 'file_missing';

  constructor(key: string) {
    super(`the file store has no file ${key}`);
    this.name = 'FileMissingError';
  }
}
