import { StartError } from '../start-error.ts';

/** The data directory cannot be used. */
export class DataDirectoryError extends StartError {}
