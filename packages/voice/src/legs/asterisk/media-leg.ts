import type { WebSocket } from 'ws';
import { frameBytes } from '../../audio/mu-law.ts';
import type { Leg, LegEvents } from '../leg.ts';

/** More than this at once is no audio of a call. */
const longestMessage = 65_536;
/** A peer that does not read: the call is of no use to anybody then. */
const unsentBytes = 64_000;

/**
 * The websocket of Asterisk's chan_websocket: audio in binary messages, commands and events in text. Audio may come before
 * `MEDIA_START`, messages need not be frames, and what is queued there can only be flushed, so little is sent ahead.
 */
export function openAsteriskLeg(socket: WebSocket, events: LegEvents): Leg {
  let rest: Uint8Array = new Uint8Array();
  let isGone = false;

  function gone(): void {
    if (isGone) return;
    isGone = true;
    events.gone();
  }

  function onAudio(data: Uint8Array): void {
    if (data.length > longestMessage) return;
    const all = rest.length === 0 ? data : Buffer.concat([rest, data]);
    let at = 0;
    for (; at + frameBytes <= all.length; at += frameBytes) events.frame(all.subarray(at, at + frameBytes));
    rest = Uint8Array.from(all.subarray(at));
  }

  socket.on('message', (data, isBinary) => {
    if (isGone || !Buffer.isBuffer(data)) return;
    if (isBinary) return onAudio(data);
    const digit = digitOf(data.toString('utf8', 0, 500));
    if (digit !== null) events.key(digit);
  });
  socket.on('close', gone);
  // A broken connection closes next.
  socket.on('error', () => undefined);

  return {
    send(frame) {
      if (socket.readyState !== socket.OPEN || socket.bufferedAmount > unsentBytes) return;
      socket.send(frame);
    },
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
