import { providerOf } from '../../support/provider.ts';
import { describeProviderContract } from './contract.ts';

describeProviderContract({
  name: 'simulator',
  hasEvents: false,
  hasBackPressure: false,
  hasTranscripts: true,
  hasPeopleWhoHangUp: false,
  open: (times) =>
    Promise.resolve({
      build: () => providerOf('simulator', { simulator: times }),
      // The simulator's calls are computed from their rows, so it has no state to keep or to restart.
      taken: () => null,
      live: () => 0,
      restart: () => Promise.resolve(),
      close: () => Promise.resolve(),
    }),
});
