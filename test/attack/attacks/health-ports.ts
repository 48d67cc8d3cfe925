import { connect, type Socket } from 'node:net';
import type { Attack } from '../attack.ts';

const requests = 'GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1_000);
/** The mistakes that an operator may make in a minute, and the requests that were already in flight. */
const freePerMinute = 12;

export const healthPorts: Attack = {
  name: 'health-ports',
  does: 'a stranger floods the health port of a worker, and guesses the password of its metrics',
  async begin({ worker }) {
    const { hostname, port } = new URL(worker.url);
    const startedAt = performance.now();
    const sockets: Socket[] = [];
    let guesses = 0;
    let quick = 0;
    return {
      async send() {
        const socket = connect(Number(port), hostname);
        sockets.push(socket);
        socket.on('error', () => undefined);
        socket.write(requests);
        const guess = Buffer.from(`operator:guess-${guesses++}`).toString('base64');
        const askedAt = performance.now();
        const answer = await fetch(`${worker.url}/metrics`, { headers: { Authorization: `Basic ${guess}` } });
        await answer.body?.cancel();
        if (answer.status === 401 && performance.now() - askedAt < 900) quick += 1;
      },
      async figures() {
        for (const socket of sockets) socket.destroy();
        const minutes = Math.ceil((performance.now() - startedAt) / 60_000);
        return [
          {
            what: 'guesses that were answered without a delay',
            measured: quick,
            unit: 'requests',
            atMost: freePerMinute * minutes,
          },
        ];
      },
    };
  },
  isLight: true,
  withoutProtection: [
    {
      file: 'packages/runtime/src/http/health.ts',
      find: "(await failed.slowDown(request)) === 'too_many'",
      replace: 'failed === null',
    },
  ],
};
