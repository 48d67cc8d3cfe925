import { execFile } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort, superviseChild, type SupervisedChild } from '@outdial/local';
import { asteriskFiles } from './asterisk-config.ts';
import type { AsteriskSystem } from './find-asterisk.ts';

const run = promisify(execFile);
const readyTimeoutMs = 120_000;
/** An Asterisk that hangs never answers. */
const patienceMs = 10_000;

/** A running Asterisk on loopback, with its own files and ports. */
export interface RunningAsterisk {
  url: string;
  /** The UDP port of its trunk. */
  sipPort: number;
  user: string;
  password: string;
  /** Runs a command of its command line. */
  cli(command: string): Promise<string>;
  /** Sends an ARI request; null if the answer is not JSON, or if there is none. */
  ari(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown } | null>;
  /** SIGSTOP: until `thaw`, the kernel accepts connections, but nothing is answered. */
  freeze(): void;
  thaw(): void;
  /** SIGKILL. */
  kill(): Promise<void>;
  /** Restarts after a kill, on the same ports. */
  startAgain(): Promise<void>;
  /** The end of its log, for failed tests. */
  lastWords(): string;
  close(): Promise<void>;
}

export async function startAsterisk(args: {
  system: AsteriskSystem;
  carrierPort: number;
  /** Runs as a carrier that connects calls to people behind this websocket. */
  people?: { url: string };
}): Promise<RunningAsterisk> {
  const { system } = args;
  // Below the root, because a process in a chroot sees nothing else. Short, because it contains a socket, whose path is limited.
  const folder = `/run/outdial-${randomBytes(4).toString('hex')}`;
  const outside = join(system.root, folder);
  const rtpFirst = randomInt(10_000, 29_000) & ~1;
  const ports = {
    http: await freePort(),
    sip: await freeUdpPort(),
    rtpFirst,
    rtpLast: rtpFirst + 999,
  };
  const user = 'outdial';
  const password = randomBytes(12).toString('hex');
  for (const made of ['etc', 'log', 'spool/recording', 'spool/tmp']) {
    mkdirSync(join(outside, made), { recursive: true });
  }
  const files = asteriskFiles({
    etc: `${folder}/etc`,
    run: folder,
    modules: system.modules,
    ports,
    carrierPort: args.carrierPort,
    ...(args.people && { people: args.people }),
    ari: { user, password },
    outdialDialplan: readFileSync(
      join(import.meta.dirname, '../../../examples/asterisk/outdial.conf'),
      'utf8',
    ),
  });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(outside, 'etc', name), text);

  const url = `http://127.0.0.1:${ports.http}`;
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  const configFile = `${folder}/etc/asterisk.conf`;
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C.UTF-8', TERM: 'dumb' };

  const asterisk: RunningAsterisk = {
    url,
    sipPort: ports.sip,
    user,
    password,
    async cli(command) {
      const { stdout } = await run(
        'chroot',
        [system.root, '/usr/sbin/asterisk', '-C', configFile, '-rx', command],
        { env, timeout: readyTimeoutMs },
      );
      return stdout;
    },
    async ari(method, path, body) {
      try {
        const response = await fetch(`${url}/ari${path}`, {
          method,
          signal: AbortSignal.timeout(patienceMs),
          headers: { authorization, 'content-type': 'application/json' },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        });
        const text = await response.text();
        return { status: response.status, body: text === '' ? null : (JSON.parse(text) as unknown) };
      } catch {
        return null;
      }
    },
    freeze: () => void process.kill(kept.pid, 'SIGSTOP'),
    thaw: () => void process.kill(kept.pid, 'SIGCONT'),
    async kill() {
      process.kill(kept.pid, 'SIGKILL');
      await kept.exited;
    },
    async startAgain() {
      kept = await start();
    },
    lastWords() {
      try {
        return readFileSync(join(outside, 'log/full'), 'utf8').split('\n').slice(-60).join('\n');
      } catch {
        return '';
      }
    },
    async close() {
      await kept.stop();
      rmSync(outside, { recursive: true, force: true });
    },
  };

  async function start(): Promise<SupervisedChild> {
    const process = await superviseChild({
      command: 'chroot',
      args: [system.root, '/usr/sbin/asterisk', '-f', '-C', configFile],
      cwd: '/',
      env,
      logPath: join(outside, 'log/output'),
      stopWith: [
        { signal: 'SIGTERM', afterMs: 0 },
        { signal: 'SIGKILL', afterMs: 2_000 },
      ],
    });
    let ended = false;
    void process.exited.then(() => (ended = true));
    for (const giveUpAt = performance.now() + readyTimeoutMs; ;) {
      const answer = await asterisk.ari('GET', '/asterisk/variable?variable=x');
      if (answer?.status === 200) return process;
      if (ended || performance.now() > giveUpAt) {
        const words = asterisk.lastWords();
        await process.stop();
        throw new Error(`Asterisk did not start: ${words}`);
      }
      await delay(50);
    }
  }

  let kept = await start();
  return asterisk;
}

export async function freeUdpPort(): Promise<number> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address();
  socket.close();
  await once(socket, 'close');
  return port;
}
