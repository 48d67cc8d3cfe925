export * from './jobs/index.ts';
export * from './http/index.ts';
export * from './voice/index.ts';
