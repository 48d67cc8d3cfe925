export * from './dialing-metrics.ts';
export * from './open-providers.ts';
export * from './open-stores.ts';
export * from './readiness.ts';
export * from './serve-health.ts';
export * from './warn-of-connections.ts';
