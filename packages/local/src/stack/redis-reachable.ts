import { connect } from 'node:net';
import type { queueEnv, SettingsOf } from '@outdial/runtime';
import { StartError } from '../start-error.ts';

const timeoutMs = 5_000;

/** Checks that a server listens at REDIS_URL, or one of its Sentinels. The processes themselves would wait for it silently. */
export async function requireRedis({ url, sentinel }: RedisSettings): Promise<void> {
  const { hostname, port } = new URL(url);
  const one = { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: port === '' ? 6379 : Number(port) };
  const faults = await Promise.all((sentinel?.hosts ?? [one]).map((address) => faultOf(address)));
  if (faults.includes(null)) return;
  throw new StartError(
    'redis_unreachable',
    `The Redis of REDIS_URL cannot be reached (${faults.join(', ')}).`,
  );
}

type RedisSettings = Extract<SettingsOf<{ queue: typeof queueEnv }>['queue'], { kind: 'redis' }>;

function faultOf(address: { host: string; port: number }): Promise<string | null> {
  return new Promise<string | null>((resolve) => {
    const socket = connect({ ...address, timeout: timeoutMs });
    const settle = (answer: string | null) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => settle(null));
    socket.once('timeout', () => settle('no answer'));
    socket.once('error', (error: NodeJS.ErrnoException) => settle(error.code ?? error.message));
  });
}
