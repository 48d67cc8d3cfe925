/** Why a data directory cannot be used. The message is one clear line for the person who started us. */
export class DataDirectoryError extends Error {
  readonly code: 'data_directory_in_use' | 'data_directory_unusable' | 'data_directory_corrupt';

  constructor(code: DataDirectoryError['code'], message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'DataDirectoryError';
    this.code = code;
  }
}
