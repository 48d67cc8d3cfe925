import type { WebSocket } from 'ws';
import { frameMs } from '../../turn/turn-settings.ts';
import type { NamedConnection } from '../first-message.ts';
import { createFrameCutter } from '../frame-cutter.ts';
import type { Leg, LegEvents } from '../leg.ts';
import { mediaSocket } from '../media-socket.ts';
import { readStreamMessage, type StreamStart } from './stream-messages.ts';

const unsentBytes = 128_000;
/** How often the way to the person's ear is measured. */
const framesBetweenMarks = 10;
const marksAtMost = 50;
/** More than this is not the way; it is a measurement that went wrong. */
const longestLagMs = 2_000;

/**
 * Twilio's bidirectional Media Stream: µ-law in base64, in both directions. Twilio plays what it was sent one after the other, forgets
 * all of it on `clear`, and gives a `mark` back when everything before it was played, so it is known how far behind the person hears.
 * Closing the connection ends the call, since nothing follows in its instructions.
 */
export function openStreamLeg(
  socket: WebSocket,
  { start, listen }: NamedConnection<StreamStart>,
  events: LegEvents,
  nowMs: () => number,
): Leg {
  const { streamSid } = start;
  const media = mediaSocket(socket, { unsentBytes, onGone: () => events.gone() });
  const cut = createFrameCutter((frame) => events.frame(frame));
  let sentFrames = 0;
  let marks = 0;
  let lagMs = 0;
  /** When what is before each mark would have been played, were there no way to go. */
  const dueAt = new Map<string, number>();

  function onMark(name: string): void {
    const due = dueAt.get(name);
    if (due === undefined) return;
    dueAt.delete(name);
    lagMs = Math.min(longestLagMs, Math.max(0, nowMs() - due));
  }

  listen((text) => {
    if (media.isGone()) return;
    const message = readStreamMessage(text);
    if (message === null) return;
    switch (message.event) {
      case 'media':
        // Of both tracks only what the person says comes here; Twilio names the track all the same.
        if ((message.media.track ?? 'inbound') !== 'inbound') return;
        return cut(Buffer.from(message.media.payload, 'base64'));
      case 'dtmf':
        return events.key(message.dtmf.digit);
      case 'mark':
        return onMark(message.mark.name);
      case 'stop':
        return media.gone();
    }
  });

  return {
    send(frame, playsAt) {
      media.tell({ event: 'media', streamSid, media: { payload: Buffer.from(frame).toString('base64') } });
      sentFrames += 1;
      if (sentFrames % framesBetweenMarks !== 0 || dueAt.size >= marksAtMost) return;
      marks += 1;
      dueAt.set(String(marks), playsAt + frameMs);
      media.tell({ event: 'mark', streamSid, mark: { name: String(marks) } });
    },
    flush() {
      // Marks of what is forgotten come back at once, and say nothing.
      dueAt.clear();
      media.tell({ event: 'clear', streamSid });
    },
    lagMs: () => lagMs,
    hangUp() {
      socket.close();
    },
  };
}
