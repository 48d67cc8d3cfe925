import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A gateway that refuses every call a moment after it was asked, so that its line is free again and sends never run dry. It notes
 * when it was asked and when it answered, by this process's monotonic clock.
 */
export interface Carrier {
  url: string;
  sends: Array<{ beganMs: number; endedMs: number }>;
  close(): Promise<void>;
}

export async function openCarrier({ answersInMs }: { answersInMs: number }): Promise<Carrier> {
  const sends: Carrier['sends'] = [];
  const server = createServer((request, response) => {
    const beganMs = performance.now();
    request.resume();
    setTimeout(() => {
      response.writeHead(request.method === 'POST' ? 422 : 404).end();
      if (request.method === 'POST') sends.push({ beganMs, endedMs: performance.now() });
    }, answersInMs);
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // The server listens on TCP, so the address is not a string.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    sends,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
