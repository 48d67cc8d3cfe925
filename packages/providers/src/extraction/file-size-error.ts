/** A file store returned more or fewer bytes than were stored. */
export class FileSizeError extends Error {
  readonly code = 'file_size';

  constructor(expected: number, got: number) {
    super(`a file of ${expected} bytes was read as ${got}`);
    this.name = 'FileSizeError';
  }
}
