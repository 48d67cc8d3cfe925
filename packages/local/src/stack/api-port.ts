import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { StartError } from '../start-error.ts';

/**
 * The port that the api will take, found out before anything is started. Another program may still be faster; then the api
 * says so itself.
 * @param asked 0 for any free one
 * @param patienceMs how long a taken port may become free: the api of a stack that was killed is still ending
 */
export async function findApiPort(asked: number, patienceMs: number): Promise<number> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const tried = await tryPort(asked);
    if (typeof tried === 'number') return tried;
    if (tried.code !== 'EADDRINUSE') {
      throw new StartError('port_unusable', `Port ${asked} cannot be used: ${tried.message}.`);
    }
    if (performance.now() > deadline) throw portTaken(asked);
    await delay(200);
  }
}

export function portTaken(port: number): StartError {
  return new StartError(
    'port_taken',
    `Port ${port} is taken by another program. Choose another with --port, or --port 0 for any free one.`,
  );
}

/** Listens as the api does, on every address, and gives the port back. */
async function tryPort(port: number): Promise<number | NodeJS.ErrnoException> {
  const server = createServer();
  try {
    server.listen(port);
    await once(server, 'listening');
  } catch (error) {
    // `listen` reports system errors.
    return error as NodeJS.ErrnoException;
  }
  // A server that listens on TCP has such an address.
  const { port: taken } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return taken;
}
