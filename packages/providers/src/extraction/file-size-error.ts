/** A file store gave another number of bytes than were put in. */
export class FileSizeError extends Error {
  readonly code = 'file_size';

  constructor(expected: number, got: number) {
    super(`a file of ${expected} bytes was read as ${got}`);
    this.name = 'FileSizeError';
  }
}
