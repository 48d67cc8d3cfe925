import type { WebSocket } from 'ws';
import { z } from 'zod';
import { createFrameCutter } from '../frame-cutter.ts';
import type { Leg, LegEvents } from '../leg.ts';
import { mediaSocket } from '../media-socket.ts';
import { createAllowance } from './allowance.ts';
import { readJson } from '../../read-json.ts';

const pingMs = 5_000;
/** After this time without a message or an answer to a ping, the connection counts as lost. */
const silentMs = 15_000;
/** Half a second of audio; pages send 20 ms at a time. A longer message closes the connection. */
export const longestWebMessage = 4_000;

/** RFC 6455, section 7.4.1. */
const closeCodes = { done: 1_000, policy: 1_008 } as const;

/**
 * The websocket of a page: µ-law at 8,000 samples a second in binary messages, everything else as JSON in text. A page may catch up on ten
 * seconds that a network delayed; a page that sends more is disconnected.
 */
export function openWebLeg(socket: WebSocket, events: LegEvents, nowMs: () => number): Leg {
  const allowance = createAllowance(nowMs());
  const cut = createFrameCutter((frame) => events.frame(frame));
  let seenAt = nowMs();

  const pings = setInterval(() => {
    if (nowMs() - seenAt > silentMs) socket.terminate();
    else if (socket.readyState === socket.OPEN) socket.ping();
  }, pingMs);

  const media = mediaSocket(socket, () => {
    clearInterval(pings);
    events.left();
  });
  const sendJson = (message: ToPage) => media.sendJson(message);

  function disconnect(reason: string): void {
    socket.close(closeCodes.policy, reason);
    media.leave();
  }

  function onMessage(message: FromPage | null): void {
    if (message === null) return disconnect('a message is not understood');
    if (message.type === 'key') {
      return allowance.takesKey(seenAt) ? events.key(message.digit) : disconnect('too many keys');
    }
    socket.close(closeCodes.done);
    media.leave();
  }

  socket.on('message', (data, isBinary) => {
    if (media.hasLeft() || !Buffer.isBuffer(data)) return;
    seenAt = nowMs();
    const kind = isBinary ? 'audio' : 'text';
    if (!allowance.takes(kind, data.length, seenAt)) return disconnect('too much at once');
    if (isBinary) cut(data);
    else onMessage(readPageMessage(data.toString('utf8')));
  });
  socket.on('pong', () => {
    seenAt = nowMs();
  });

  return {
    send: (frame) => media.send(frame),
    flush: () => sendJson({ type: 'clear' }),
    turn: ({ role, text, interrupted }) => sendJson({ type: 'turn', role, text, interrupted }),
    hangUp() {
      sendJson({ type: 'ended' });
      socket.close(closeCodes.done);
    },
  };
}

const fromPage = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('key'), digit: z.string().regex(/^[0-9*#]$/) }),
  z.strictObject({ type: z.literal('hang_up') }),
]);

/** Text messages from a page. */
type FromPage = z.output<typeof fromPage>;

/** Text messages to a page. */
type ToPage =
  /** Discard audio that was not played yet. */
  | { type: 'clear' }
  /** A turn is over. The text of the agent is what the person heard. */
  | { type: 'turn'; role: 'agent' | 'person'; text: string; interrupted: boolean }
  /** The agent has hung up. */
  | { type: 'ended' };

/** Null for anything else. */
const readPageMessage = (text: string): FromPage | null => readJson(fromPage, text);
