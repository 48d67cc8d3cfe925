import { randomBytes, randomUUID } from 'node:crypto';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { freePort } from '@outdial/local';
import type { JobMetrics, QueueLog } from '@outdial/queues';

export interface LogLine {
  readonly level: 'info' | 'warn' | 'error';
  readonly fields: Record<string, unknown>;
  readonly message: string;
}

/** A log that the test can read. */
export function recordingLog(): QueueLog & { readonly lines: LogLine[] } {
  const lines: LogLine[] = [];
  const at = (level: LogLine['level']) => (fields: object, message: string) => {
    lines.push({ level, fields: { ...fields }, message });
  };
  return { lines, info: at('info'), warn: at('warn'), error: at('error') };
}

export function recordingMetrics(): JobMetrics & { readonly results: string[] } {
  const results: string[] = [];
  return { results, jobFinished: (job, result) => void results.push(`${job} ${result}`) };
}

/** Resolves after this many signals, so that tests need not sleep. */
export function countdown(times: number) {
  const { promise, resolve } = Promise.withResolvers<void>();
  let left = times;
  return {
    reached: promise,
    tick() {
      left -= 1;
      if (left === 0) {
        resolve();
      }
    },
  };
}

export function uniqueName(): string {
  return `t_${randomBytes(6).toString('hex')}`;
}

export function placeCallPayload() {
  return { call_id: randomUUID() };
}

/** Polls until the condition holds, for states without a signal. */
export async function eventually(check: () => boolean | Promise<boolean>, withinMs = 120_000): Promise<void> {
  const giveUpAt = performance.now() + withinMs;
  while (!(await check())) {
    if (performance.now() > giveUpAt) {
      throw new Error(`still not so after ${withinMs} ms`);
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** A proxy to a server. The test can cut it and reconnect it, as if the server restarted. */
export class CuttableWire {
  #target: URL;
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #port = 0;

  constructor(targetUrl: string) {
    this.#target = new URL(targetUrl);
  }

  /** The target's URL, through the proxy. */
  get url(): string {
    const url = new URL(this.#target);
    url.hostname = '127.0.0.1';
    url.port = String(this.#port);
    return url.toString();
  }

  /** Leads new connections to another server, as a name does after a failover. Open ones stay. */
  leadTo(targetUrl: string): void {
    this.#target = new URL(targetUrl);
  }

  async reconnect(): Promise<void> {
    const server = createServer((near) => {
      const far = connect({ host: this.#target.hostname, port: Number(this.#target.port) });
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(from);
        from.pipe(to);
        from.on('error', () => to.destroy());
        from.on('close', () => {
          this.#sockets.delete(from);
          to.destroy();
        });
      }
    });
    // Of those that no connection gets while the wire is cut.
    this.#port ||= await freePort();
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
    this.#server = server;
  }

  /** Keeps connections open but forwards nothing, like a firewall that has dropped their state. */
  freeze(): void {
    for (const socket of this.#sockets) {
      socket.unpipe();
      socket.pause();
    }
  }

  async cut(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server !== undefined) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of this.#sockets) {
        socket.destroy();
      }
      await closed;
    }
  }
}
