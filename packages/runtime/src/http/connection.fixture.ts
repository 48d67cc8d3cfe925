import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { createHttpServer } from './create-server.ts';

/** A server, and a connection to it that has sent this in one piece. */
export async function connected(
  listener: RequestListener,
  sent: string,
): Promise<{ socket: Socket; server: Server; port: number }> {
  const server = createHttpServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // The server listens on TCP.
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => {
    socket.destroy();
    server.close();
    server.closeAllConnections();
  });
  await once(socket, 'connect');
  socket.write(sent);
  return { socket, server, port };
}
