import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@outdial/local';
import { startGateway } from '@outdial/reference-gateway';
import { providerOf } from '../../support/provider.ts';
import { describeProviderContract } from './contract.ts';

const secret = `whsec_${Buffer.from('a secret for tests of 32 bytes..').toString('base64')}`;

describeProviderContract({
  name: 'gateway',
  hasEvents: true,
  hasBackPressure: true,
  hasTranscripts: true,
  hasPeopleWhoHangUp: false,
  async open(options) {
    const folder = await mkdtemp(join(tmpdir(), 'outdial-gateway-'));
    // Of those that no connection gets while the gateway restarts.
    const port = await freePort();
    let gateway = await startGateway({ secret, folder, ...options, port });
    const { url } = gateway;
    return {
      build: (publicUrl) => providerOf('gateway', { gateway: { url, secret }, publicUrl }),
      taken: () => [...gateway.calls.keys()],
      live: () => [...gateway.calls.values()].filter((call) => call.state !== 'ended').length,
      async restart() {
        await gateway.close();
        gateway = await startGateway({ secret, folder, ...options, port });
      },
      async close() {
        await gateway.close();
        await rm(folder, { recursive: true });
      },
    };
  },
});
