import { createServer, connect, type Socket } from 'node:net';

/** A proxy between a process and Postgres that can delay or drop answers. */
export interface CuttingProxy {
  url: string;
  /**
   * `pass` forwards answers. `hold` buffers them. `cut` drops them, and breaks the connection at the end of the transaction. `cut commit` drops only the
   * answer of a commit, and breaks the connection then.
   */
  mode: 'pass' | 'hold' | 'cut' | 'cut commit';
  /** Forwards the buffered answers. */
  release(): void;
  close(): Promise<void>;
}

/** Postgres's ReadyForQuery message, with which the answer of a packet ends; the status "idle" follows outside of transactions. */
const ready = Buffer.from('Z\0\0\0\x05', 'latin1');
const readyOutsideTransaction = Buffer.from('Z\0\0\0\x05I', 'latin1');
/** The end of the CommandComplete message of a commit. */
const committed = Buffer.from('COMMIT\0', 'latin1');

export async function startCuttingProxy(databaseUrl: string): Promise<CuttingProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let held: Array<() => void> = [];
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    sockets.add(client).add(upstream);
    client.pipe(upstream);
    let answer = Buffer.alloc(0);
    upstream.on('data', (chunk) => {
      if (proxy.mode === 'cut' || proxy.mode === 'cut commit') {
        answer = Buffer.concat([answer, chunk]);
        if (!answer.includes(proxy.mode === 'cut' ? readyOutsideTransaction : ready)) return;
        if (proxy.mode === 'cut' || answer.includes(committed)) {
          client.destroy();
          upstream.destroy();
        } else client.write(answer);
        answer = Buffer.alloc(0);
      } else if (proxy.mode === 'hold') held.push(() => client.write(chunk));
      else client.write(chunk);
    });
    const end = () => {
      client.destroy();
      upstream.destroy();
      sockets.delete(client);
      sockets.delete(upstream);
    };
    for (const socket of [client, upstream]) socket.on('error', end).on('close', end);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  const proxy: CuttingProxy = {
    url: url.href,
    mode: 'pass',
    release() {
      proxy.mode = 'pass';
      for (const write of held) write();
      held = [];
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}
