export { listProviderNames, type ProviderChanges, type ProviderRow, setProvider } from './set-provider.ts';
