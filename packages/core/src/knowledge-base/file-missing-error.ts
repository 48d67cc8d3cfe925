/** A file store has no bytes under this key. */
export class FileMissingError extends Error {
  readonly code = 'file_missing';

  constructor(key: string) {
    super(`no file is kept under ${key}`);
    this.name = 'FileMissingError';
  }
}
