import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { type ServerOptions, WebSocketServer } from 'ws';

/** A websocket server that closes after its test, once everything that the test opened later is closed. */
export async function openSocketServer(
  options: Pick<ServerOptions, 'verifyClient'> = {},
): Promise<{ server: WebSocketServer; url: string }> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', ...options });
  await once(server, 'listening');
  onTestFinished(async () => {
    for (const client of server.clients) client.terminate();
    server.close();
    await once(server, 'close');
  });
  // The server listens on TCP, so the address is not a string.
  const { port } = server.address() as AddressInfo;
  return { server, url: `http://127.0.0.1:${port}/v1` };
}
