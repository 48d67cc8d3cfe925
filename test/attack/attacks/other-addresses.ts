import { connect } from 'node:net';
import type { Attack } from '../attack.ts';

/** A second loopback address. It represents every other address of this machine. */
const elsewhere = '127.0.0.2';

export const otherAddresses: Attack = {
  name: 'other-addresses',
  does: 'another machine on the network connects to a service that listens for this machine only',
  async begin({ api, worker }) {
    const ports = [api, worker].map(({ url }) => Number(new URL(url).port));
    let connected = 0;
    return {
      async send() {
        for (const port of ports) if (await canConnect(elsewhere, port)) connected += 1;
      },
      figures: async () => [
        { what: 'connections from elsewhere', measured: connected, unit: 'requests', atMost: 0 },
      ],
    };
  },
  isLight: true,
  perSecond: 10,
  withoutProtection: [
    {
      file: 'packages/runtime/src/env/fragments.ts',
      find: "    HOST: withDefault(\n      text,\n      '127.0.0.1',",
      replace: "    HOST: withDefault(\n      text,\n      '0.0.0.0',",
    },
    {
      file: 'packages/runtime/src/env/fragments.ts',
      find: "HEALTH_HOST: withDefault(\n      text,\n      '127.0.0.1',",
      replace: "HEALTH_HOST: withDefault(\n      text,\n      '0.0.0.0',",
    },
  ],
};

function canConnect(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
