import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';

/** A connection that receives events, and reconnects whenever it breaks. */
export interface EventSocket {
  /** Whether events are received now. */
  isOpen(): boolean;
  /** Resolves to true once it is open, or to false if that takes longer. */
  untilOpen(withinMs: number): Promise<boolean>;
  /** Ends a connection that is open but useless, and opens a new one. */
  giveUp(reason: string): void;
}

const firstPauseMs = 100;
const longestPauseMs = 10_000;
const handshakeMs = 5_000;
/** How often the connection is pinged. If it sends nothing until the next ping, it counts as broken. */
const heartbeatMs = 5_000;

export interface EventSocketOptions {
  url: string;
  headers: Record<string, string>;
  /** Called for each message in order, even while a connection is prepared. */
  onMessage(text: string): void;
  /** Prepares a new connection before it counts as open. Resolves to null, or to the reason to close it. */
  prepare(): Promise<string | null>;
  onOpen(): void;
  /** Called once for each connection that was open, and once for a series of failed attempts. */
  onTrouble(reason: string): void;
  signal: AbortSignal;
}

/** Connects, and reconnects until the signal aborts. `over` resolves when nothing is open any more. */
export function openEventSocket(options: EventSocketOptions): { socket: EventSocket; over: Promise<void> } {
  const { signal } = options;
  let open = false;
  let endCurrent: (reason: string) => void = () => undefined;
  const waiting = new Set<() => void>();

  async function run(): Promise<void> {
    let pauseMs = firstPauseMs;
    let isNews = true;
    while (!signal.aborted) {
      const beganAtMs = performance.now();
      const { wasOpen, reason } = await connectOnce();
      if (signal.aborted) return;
      if (wasOpen || isNews) options.onTrouble(reason);
      isNews = wasOpen;
      const wasGood = wasOpen && performance.now() - beganAtMs > heartbeatMs;
      pauseMs = wasGood ? firstPauseMs : Math.min(pauseMs * 2, longestPauseMs);
      // Random, so that not all processes reconnect at once after Asterisk restarts.
      await sleep(pauseMs * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => undefined);
    }
  }

  /** Resolves when the connection is over. */
  function connectOnce(): Promise<{ wasOpen: boolean; reason: string }> {
    return new Promise((resolve) => {
      const socket = new WebSocket(options.url, {
        headers: options.headers,
        handshakeTimeout: handshakeMs,
        maxPayload: 1024 * 1024,
        perMessageDeflate: false,
      });
      let wasOpen = false;
      let reason = 'closed';
      let isAlive = true;
      const end = (why: string) => {
        reason = why;
        socket.terminate();
      };
      endCurrent = end;
      const heartbeat = setInterval(() => {
        if (socket.readyState !== WebSocket.OPEN) return;
        if (!isAlive) return end('no answer to a heartbeat');
        isAlive = false;
        socket.ping();
      }, heartbeatMs);
      const abort = () => socket.terminate();
      signal.addEventListener('abort', abort, { once: true });
      const alive = () => {
        isAlive = true;
      };
      socket.on('pong', alive);
      async function opened(): Promise<void> {
        const fault = await options.prepare();
        if (socket.readyState !== WebSocket.OPEN) return;
        if (fault !== null) return end(fault);
        wasOpen = true;
        open = true;
        for (const resolveWaiting of waiting) resolveWaiting();
        waiting.clear();
        options.onOpen();
      }
      socket.on('open', () => {
        opened().catch((error: unknown) =>
          end(error instanceof Error ? error.message : 'a connection could not be prepared'),
        );
      });
      socket.on('message', (data) => {
        alive();
        // `ws` yields a Buffer for a message in one fragment, and Asterisk does not fragment messages.
        options.onMessage((data as Buffer).toString('utf8'));
      });
      socket.on('error', (error) => {
        reason = error.message;
      });
      socket.on('close', () => {
        open = false;
        clearInterval(heartbeat);
        signal.removeEventListener('abort', abort);
        resolve({ wasOpen, reason });
      });
    });
  }

  return {
    socket: {
      isOpen: () => open,
      giveUp: (reason) => endCurrent(reason),
      untilOpen(withinMs) {
        if (open) return Promise.resolve(true);
        return new Promise((resolve) => {
          const opened = () => {
            clearTimeout(timer);
            resolve(true);
          };
          const timer = setTimeout(() => {
            waiting.delete(opened);
            resolve(false);
          }, withinMs);
          waiting.add(opened);
        });
      },
    },
    over: run(),
  };
}
