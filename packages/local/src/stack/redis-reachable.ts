import { connect } from 'node:net';
import { StartError } from '../start-error.ts';

const timeoutMs = 5_000;

/** Checks that a server listens at REDIS_URL. The processes themselves would wait for it silently. */
export async function requireRedis(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const fault = await new Promise<string | null>((resolve) => {
    const socket = connect({ host, port: port === '' ? 6379 : Number(port), timeout: timeoutMs });
    const settle = (answer: string | null) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => settle(null));
    socket.once('timeout', () => settle('no answer'));
    socket.once('error', (error: NodeJS.ErrnoException) => settle(error.code ?? error.message));
  });
  if (fault !== null) {
    throw new StartError('redis_unreachable', `The Redis of REDIS_URL cannot be reached (${fault}).`);
  }
}
