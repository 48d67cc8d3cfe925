import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHttpServer } from '@outdial/runtime';

export interface ApiServer {
  /** The chosen port, if 0 was requested. */
  readonly port: number;
  /** Accepts no more connections, waits `drainMs` for requests in progress, then cuts them. */
  close(options: { drainMs: number }): Promise<void>;
}

/** The longest time to receive a request. Uploads of the largest size need a minute on a slow line. */
const requestTimeoutMs = 300_000;
/** Longer than the idle timeout of common load balancers, which could otherwise reuse a connection that was just closed. */
const keepAliveTimeoutMs = 65_000;
/** How often idle connections are closed during the shutdown. */
const idleLookMs = 50;

/** Listens. Rejects if the port is in use. */
export async function startServer(
  app: RequestListener,
  address: { port: number; host?: string },
): Promise<ApiServer> {
  let closing: Promise<void> | undefined;
  const server = createHttpServer(
    (request, response) => {
      // A caller with a busy connection would delay the shutdown until it is cut.
      if (closing) response.setHeader('Connection', 'close');
      app(request, response);
    },
    { requestTimeoutMs, keepAliveTimeoutMs },
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(address.port, address.host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return {
    port: portOf(server),
    close({ drainMs }) {
      closing ??= close(server, drainMs);
      return closing;
    },
  };
}

function portOf(server: Server): number {
  // A server that listens on TCP has such an address; it is only a string for a pipe.
  return (server.address() as AddressInfo).port;
}

async function close(server: Server, drainMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  const timer = setTimeout(() => server.closeAllConnections(), drainMs);
  // Node only closes connections that are idle now, so those that become idle later are closed here.
  const idle = setInterval(() => server.closeIdleConnections(), idleLookMs);
  await closed;
  clearInterval(idle);
  clearTimeout(timer);
}
