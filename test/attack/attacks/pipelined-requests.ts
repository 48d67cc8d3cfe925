import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack } from '../attack.ts';
import { longestWaitDuring } from '../longest-wait.ts';

const document = 'GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1_500);
const refusals = 'GET /no HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(20_000);
const measuredMs = 3_000;
const quietForMs = 1_000;
const connectionsTogether = 20;

export const pipelinedRequests: Attack = {
  name: 'pipelined-requests',
  does: 'a stranger sends thousands of requests at once in one connection, and reads no answer',
  async begin({ api, neighbour }) {
    const { hostname, port } = new URL(api.url);
    const sockets: Socket[] = [];
    function send(requests: string): void {
      const socket = connect(Number(port), hostname);
      sockets.push(socket);
      socket.on('error', () => undefined);
      socket.write(requests);
    }
    const ask = () => neighbour.send('GET /api/v1/campaigns', { role: 'viewer' });
    const quietMs = await longestWaitDuring(ask, sleep(quietForMs));
    return {
      send: async () => send(document),
      async figures() {
        for (const socket of sockets.splice(0)) socket.destroy();
        const longestMs = await longestWaitDuring(ask, attackOnce());
        for (const socket of sockets.splice(0)) socket.destroy();
        return [
          {
            what: 'the neighbour’s longest wait against its quiet one',
            measured: longestMs / quietMs,
            unit: 'times',
            atMost: 2,
          },
        ];
      },
    };

    async function attackOnce(): Promise<void> {
      send(document);
      await sleep(measuredMs / 3);
      send(refusals);
      await sleep(measuredMs / 3);
      for (let at = 0; at < connectionsTogether; at++) send(at % 2 === 0 ? document : refusals);
      await sleep(measuredMs / 3);
    }
  },
  perSecond: 2,
  withoutProtection: [
    {
      file: 'packages/runtime/src/http/create-server.ts',
      find: '    answering.onRequest,',
      replace: '    bodyDeadlines(listener),',
    },
    {
      file: 'packages/runtime/src/http/create-server.ts',
      find: "  server.on('connection', answering.onConnection);\n",
      replace: '',
    },
  ],
};
