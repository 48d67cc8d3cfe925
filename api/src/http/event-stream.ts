import { once } from 'node:events';
import type { Response } from 'express';
import { callerGone } from './caller-gone.ts';

/** Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
export interface EventStream {
  readonly gone: AbortSignal;
  /** Resolves when the caller has read what was sent before. */
  send(event: { name: string; data: unknown; id?: string }): Promise<void>;
  /** A caller that hears no event with an id reconnects with this one. */
  resumeAfter(id: string): Promise<void>;
  /** Shows proxies and the caller that the connection is alive. */
  beat(): Promise<void>;
  end(): void;
}

/** A caller that reads nothing for so long is disconnected. */
const stalledCallerMs = 30_000;
/** How soon a caller reconnects after the end of a stream. */
const reconnectMs = 1_000;

export function openEventStream(res: Response): EventStream {
  const gone = callerGone(res);
  res.status(200);
  res.setHeader('Content-Type', 'text/event-stream; charset=utf-8');
  res.setHeader('Cache-Control', 'no-store');
  // Without this, proxies (nginx) would buffer events.
  res.setHeader('X-Accel-Buffering', 'no');
  res.flushHeaders();
  res.write(`retry: ${reconnectMs}\n\n`);

  async function write(text: string): Promise<void> {
    if (gone.aborted || res.write(text)) return;
    const timer = setTimeout(() => res.destroy(), stalledCallerMs);
    await once(res, 'drain', { signal: gone })
      .catch(() => undefined)
      .finally(() => clearTimeout(timer));
  }
  return {
    gone,
    send: ({ name, data, id }) =>
      write(`${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`),
    resumeAfter: (id) => write(`id: ${id}\n\n`),
    beat: () => write(': alive\n\n'),
    end: () => res.end(),
  };
}
