import type { WebSocket } from 'ws';
import { createFrameCutter } from '../frame-cutter.ts';
import type { Leg, LegEvents } from '../leg.ts';
import { mediaSocket } from '../media-socket.ts';

/** A longer message is not audio of a call. */
const longestMessage = 65_536;

/**
 * The websocket of Asterisk's chan_websocket: audio in binary messages, commands and events in text. Audio may arrive before
 * `MEDIA_START`, and messages need not be whole frames. Asterisk can only flush its whole queue, so little is sent ahead.
 */
export function openAsteriskLeg(socket: WebSocket, events: LegEvents): Leg {
  const media = mediaSocket(socket, () => events.left());
  const cut = createFrameCutter((frame) => events.frame(frame));

  socket.on('message', (data, isBinary) => {
    if (media.hasLeft() || !Buffer.isBuffer(data)) return;
    if (isBinary) return data.length > longestMessage ? undefined : cut(data);
    const digit = digitOf(data.toString('utf8', 0, 500));
    if (digit !== null) events.key(digit);
  });

  return {
    send: (frame) => media.send(frame),
    // Sent even to a peer that reads slowly. Otherwise the peer would play dropped audio later.
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
