import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RequestListener } from 'node:http';

export interface ApiServer {
  /** The port that was taken, where 0 had been asked for. */
  readonly port: number;
  /** Takes no further connection, lets requests in progress end for `drainMs`, then cuts them. */
  close(options: { drainMs: number }): Promise<void>;
}

/** A request that trickles in for longer is cut; uploads of the largest size need a minute on a slow line. */
const REQUEST_TIMEOUT_MS = 300_000;
const HEADERS_TIMEOUT_MS = 30_000;
/** Longer than the idle timeout of common load balancers, which otherwise reuse a connection that we just closed. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
/** While it closes. */
const IDLE_LOOK_MS = 50;

/** Listens. Rejects where the port is taken. */
export async function startServer(
  app: RequestListener,
  address: { port: number; host?: string },
): Promise<ApiServer> {
  let closing: Promise<void> | undefined;
  const server = createServer(
    {
      requestTimeout: REQUEST_TIMEOUT_MS,
      headersTimeout: HEADERS_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    },
    (request, response) => {
      // A caller that keeps its connection busy would keep this process until it is cut off.
      if (closing) response.setHeader('Connection', 'close');
      app(request, response);
    },
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
  // A server that listens on TCP has such an address; it is a string for a pipe only.
  return (server.address() as AddressInfo).port;
}

async function close(server: Server, drainMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  const timer = setTimeout(() => server.closeAllConnections(), drainMs);
  // Node closes those that are idle now; one whose request ends later would be kept for another.
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_LOOK_MS);
  await closed;
  clearInterval(idle);
  clearTimeout(timer);
}
