import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Linux gives the ports from 32768 to outgoing connections and to servers that ask for any port, macOS and Windows
 * those from 49152 (RFC 6335, section 6). So no other program is given one of these before the caller listens on it.
 */
const firstPort = 20_000;
const lastPort = 32_767;
const triesAtMost = 100;

/** Finds a free port of 127.0.0.1, from 20000 to 32767. Another program that wants this very port may take it before the caller does. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < triesAtMost; tries++) {
    const port = randomInt(firstPort, lastPort + 1);
    if (await isFree(port)) return port;
  }
  throw new Error(`none of ${triesAtMost} ports from ${firstPort} to ${lastPort} was free`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
