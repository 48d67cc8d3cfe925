export * from './newest-first.ts';
