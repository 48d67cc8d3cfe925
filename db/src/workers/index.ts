export * from './worker-heartbeat.ts';
export * from './list-live-workers.ts';
