import type { WebSocket } from 'ws';
import { createFrameCutter } from '../frame-cutter.ts';
import type { Leg, LegEvents } from '../leg.ts';
import { mediaSocket } from '../media-socket.ts';

/** More than this at once is no audio of a call. */
const longestMessage = 65_536;
const unsentBytes = 64_000;

/**
 * The websocket of Asterisk's chan_websocket: audio in binary messages, commands and events in text. Audio may come before
 * `MEDIA_START`, messages need not be frames, and what is queued there can only be flushed, so little is sent ahead.
 */
export function openAsteriskLeg(socket: WebSocket, events: LegEvents): Leg {
  const media = mediaSocket(socket, { unsentBytes, onGone: () => events.gone() });
  const cut = createFrameCutter((frame) => events.frame(frame));

  socket.on('message', (data, isBinary) => {
    if (media.isGone() || !Buffer.isBuffer(data)) return;
    if (isBinary) return data.length > longestMessage ? undefined : cut(data);
    const digit = digitOf(data.toString('utf8', 0, 500));
    if (digit !== null) events.key(digit);
  });

  return {
    send: (frame) => media.send(frame),
    // Always: a peer that reads slowly must not go on to play what was dropped.
    flush() {
      if (socket.readyState === socket.OPEN) socket.send('FLUSH_MEDIA');
    },
    hangUp() {
      if (socket.readyState === socket.OPEN) socket.send('HANGUP');
      socket.close();
    },
  };
}

/** `DTMF_END digit:5 …`, or the same as JSON in newer versions. */
function digitOf(text: string): string | null {
  const plain = /^DTMF_END\b.*\bdigit:([0-9A-D*#])/.exec(text);
  const json = /^\{.*"event"\s*:\s*"DTMF_END".*"digit"\s*:\s*"([0-9A-D*#])"/s.exec(text);
  return plain?.[1] ?? json?.[1] ?? null;
}
