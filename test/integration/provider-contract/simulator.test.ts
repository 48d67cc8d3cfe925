import { buildProvider } from '@outdial/providers';
import { describeProviderContract } from './contract.ts';

describeProviderContract({
  name: 'simulator',
  hasEvents: false,
  hasBackPressure: false,
  hasTranscripts: true,
  hasPeopleWhoHangUp: false,
  open: (times) =>
    Promise.resolve({
      build() {
        const row = { name: 'simulator', adapter: 'simulator', settings: {} };
        const provider = buildProvider(row, { simulator: times });
        if (provider === null) throw new Error('no simulator');
        return provider;
      },
      // The simulator's calls are computed from their rows, so it has no state to keep or to restart.
      taken: () => null,
      live: () => 0,
      restart: () => Promise.resolve(),
      close: () => Promise.resolve(),
    }),
});
