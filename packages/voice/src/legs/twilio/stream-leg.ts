import type { WebSocket } from 'ws';
import { frameMs } from '../../audio/mu-law.ts';
import type { IdentifiedConnection } from '../first-message.ts';
import { createFrameCutter } from '../frame-cutter.ts';
import type { Leg, LegEvents } from '../leg.ts';
import { mediaSocket } from '../media-socket.ts';
import { readStreamMessage, type StreamStart } from './stream-messages.ts';

/** Base64 in JSON needs more bytes than plain audio. */
const unsentBytes = 128_000;
/** How often the delay to the person's ear is measured. */
const framesBetweenMarks = 10;
const marksAtMost = 50;
/** A larger measurement is wrong. */
const longestLagMs = 2_000;

/**
 * Twilio's bidirectional Media Stream: µ-law in base64. Twilio plays audio in order, discards it on `clear`, and returns a `mark` once everything
 * before it was played, which measures the delay to the person. Closing the connection ends the call, because no instruction follows the stream.
 */
export function openStreamLeg(
  socket: WebSocket,
  { start, listen }: IdentifiedConnection<StreamStart>,
  events: LegEvents,
  nowMs: () => number,
): Leg {
  const { streamSid } = start;
  const media = mediaSocket(socket, () => events.left(), unsentBytes);
  const cut = createFrameCutter((frame) => events.frame(frame));
  let sentFrames = 0;
  let marks = 0;
  let lagMs = 0;
  /** When each mark would return on a line without delay. */
  const dueAt = new Map<string, number>();

  function onMark(name: string): void {
    const due = dueAt.get(name);
    if (due === undefined) return;
    dueAt.delete(name);
    lagMs = Math.min(longestLagMs, Math.max(0, nowMs() - due));
  }

  listen((text) => {
    if (media.hasLeft()) return;
    const message = readStreamMessage(text);
    if (message === null) return;
    switch (message.event) {
      case 'media':
        if ((message.media.track ?? 'inbound') !== 'inbound') return;
        return cut(Buffer.from(message.media.payload, 'base64'));
      case 'dtmf':
        return events.key(message.dtmf.digit);
      case 'mark':
        return onMark(message.mark.name);
      case 'stop':
        return media.leave();
    }
  });

  return {
    send(frame, playsAt) {
      const payload = Buffer.from(frame).toString('base64');
      media.sendJson({ event: 'media', streamSid, media: { payload } });
      sentFrames += 1;
      if (sentFrames % framesBetweenMarks !== 0 || dueAt.size >= marksAtMost) return;
      marks += 1;
      dueAt.set(String(marks), playsAt + frameMs);
      media.sendJson({ event: 'mark', streamSid, mark: { name: String(marks) } });
    },
    flush() {
      // Marks of discarded audio return at once and measure nothing.
      dueAt.clear();
      media.sendJson({ event: 'clear', streamSid });
    },
    lagMs: () => lagMs,
    hangUp: () => socket.close(),
  };
}
