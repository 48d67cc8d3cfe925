import type { WebSocket } from 'ws';
import { createFrameCutter } from '../frame-cutter.ts';
import type { Leg, LegEvents } from '../leg.ts';
import { mediaSocket } from '../media-socket.ts';
import { createAllowance } from './allowance.ts';
import { type FromPage, readPageMessage, type ToPage } from './web-messages.ts';

/** Half a second of sound; pages send 20 ms at a time. A longer message closes the connection. */
export const longestWebMessage = 4_000;
const unsentBytes = 64_000;

/** RFC 6455, section 7.4.1. */
const closeCodes = { done: 1_000, policy: 1_008 } as const;

/**
 * The websocket of a page: µ-law at 8,000 samples a second in binary messages, everything else as JSON in text. What a page sends is bounded: it may
 * catch up on ten seconds that a network held back, and no more.
 */
export function openWebLeg(
  socket: WebSocket,
  events: LegEvents,
  /** A connection that answers no ping for `silentMs` is gone. */
  { nowMs, pingMs = 5_000, silentMs = 15_000 }: { nowMs: () => number; pingMs?: number; silentMs?: number },
): Leg {
  const allowance = createAllowance(nowMs());
  const cut = createFrameCutter((frame) => events.frame(frame));
  let heardAt = nowMs();

  const pings = setInterval(() => {
    if (nowMs() - heardAt > silentMs) socket.terminate();
    else if (socket.readyState === socket.OPEN) socket.ping();
  }, pingMs);

  const media = mediaSocket(socket, {
    unsentBytes,
    onGone() {
      clearInterval(pings);
      events.gone();
    },
  });

  function refuse(why: string): void {
    socket.close(closeCodes.policy, why);
    media.gone();
  }

  function onMessage(message: FromPage | null): void {
    if (message === null) return refuse('a message is not understood');
    if (message.type === 'key') {
      return allowance.takesKey(heardAt) ? events.key(message.digit) : refuse('too many keys');
    }
    socket.close(closeCodes.done);
    media.gone();
  }

  const tell = (message: ToPage) => media.tell(message);

  socket.on('message', (data, isBinary) => {
    if (media.isGone() || !Buffer.isBuffer(data)) return;
    heardAt = nowMs();
    const kind = isBinary ? 'sound' : 'text';
    if (!allowance.takes(kind, data.length, heardAt)) return refuse('too much at once');
    if (isBinary) cut(data);
    else onMessage(readPageMessage(data.toString('utf8')));
  });
  socket.on('pong', () => {
    heardAt = nowMs();
  });

  return {
    send: (frame) => media.send(frame),
    flush: () => tell({ type: 'clear' }),
    turn: ({ role, text, interrupted }) => tell({ type: 'turn', role, text, interrupted }),
    hangUp() {
      tell({ type: 'ended' });
      socket.close(closeCodes.done);
    },
  };
}
