export * from './jobs/index.ts';
