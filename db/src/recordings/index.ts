export * from './stored-recordings.ts';
