import { StartError } from '../start-error.ts';

/** The data directory cannot be used. */
export class DataDirectoryError extends StartError {
  constructor(
    code: 'data_directory_in_use' | 'data_directory_unusable' | 'data_directory_corrupt',
    message: string,
    options?: { cause?: unknown },
  ) {
    super(code, message, options);
    this.name = 'DataDirectoryError';
  }
}
