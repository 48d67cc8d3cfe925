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
      // Its calls are a function of their rows: there is nothing to keep, and nothing to restart.
      taken: () => null,
      live: () => 0,
      restart: () => Promise.resolve(),
      close: () => Promise.resolve(),
    }),
});
