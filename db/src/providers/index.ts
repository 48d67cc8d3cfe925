export {
  listProviderNames,
  listProviders,
  type ProviderChanges,
  type ProviderRow,
  setProvider,
} from './set-provider.ts';
