export * from './backend-config.ts';
export * from './consumer.ts';
export * from './errors.ts';
export * from './ops-queues.ts';
export * from './ports.ts';
export * from './prepare.ts';
export * from './publisher.ts';
export * from './run-job.ts';
