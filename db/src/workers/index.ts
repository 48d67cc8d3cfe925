export * from './worker-heartbeat.ts';
