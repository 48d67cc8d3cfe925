export { openProviders } from './open-providers.ts';
export { openStores } from './open-stores.ts';
export { serveHealth } from './serve-health.ts';
