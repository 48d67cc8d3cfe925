import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { StartError } from '../start-error.ts';

/** How long the processes of a killed stack take to end (parent-watchdog.ts). */
const killedStackEndsMs = 10_000;

/**
 * Finds the api's port before anything is started. If another program takes it meanwhile, the api reports that itself.
 * @param asked 0 for any free one
 * @param wasKilled whether the api of a killed stack may still hold the port for a while
 */
export async function chooseApiPort(asked: number, wasKilled: boolean): Promise<number> {
  const deadline = performance.now() + (wasKilled ? killedStackEndsMs : 0);
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

/** Listens on every address, as the api does, and releases the port. */
async function tryPort(port: number): Promise<number | NodeJS.ErrnoException> {
  const server = createServer();
  try {
    server.listen(port);
    await once(server, 'listening');
  } catch (error) {
    // `listen` fails with system errors only.
    return error as NodeJS.ErrnoException;
  }
  // The server listens on TCP, so the address is not a string.
  const { port: taken } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return taken;
}
