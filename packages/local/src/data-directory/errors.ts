import { StartError } from '../start-error.ts';

export class DataDirectoryError extends StartError {}
