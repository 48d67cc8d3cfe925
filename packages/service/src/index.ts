export { dialingMetrics } from './dialing-metrics.ts';
export { openProviders } from './open-providers.ts';
export { openStores } from './open-stores.ts';
export { createReadiness, type Faults, type Readiness } from './readiness.ts';
export { warnOfConnections } from './warn-of-connections.ts';
export { serveHealth, watchReadiness } from './serve-health.ts';
