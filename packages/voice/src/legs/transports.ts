import { relayPath, streamPath, tokenParameter } from '@outdial/providers/environment';
import type { WebSocket } from 'ws';
import { firstMessage } from './first-message.ts';
import type { Leg, LegEvents } from './leg.ts';
import { openRelayLeg } from './twilio/relay-leg.ts';
import { readRelaySetup } from './twilio/relay-messages.ts';
import { openStreamLeg } from './twilio/stream-leg.ts';
import { readStreamStart } from './twilio/stream-messages.ts';
import { openWebLeg } from './web/web-leg.ts';
import { createFrameCutter } from './frame-cutter.ts';
import { mediaSocket } from './media-socket.ts';

/** Opens the leg of a call on a connection, and describes what the connection supports. */
export interface Transport {
  /** `text` if the carrier recognizes and synthesizes speech. */
  carries: 'audio' | 'text';
  /** False if the carrier records the call. */
  isRecordedHere: boolean;
  isWeb?: true;
  /** The carrier may not report when an incoming call was answered and ended. */
  lacksInboundEvents?: true;
  open(events: LegEvents, call: { greets: boolean }): Leg;
}

export const asteriskTransport = (socket: WebSocket): Transport => ({
  carries: 'audio',
  isRecordedHere: true,
  open: (events) => openAsteriskLeg(socket, events),
});

export const webTransport = (socket: WebSocket, nowMs: () => number): Transport => ({
  carries: 'audio',
  isRecordedHere: true,
  isWeb: true,
  open: (events) => openWebLeg(socket, events, nowMs),
});

/** A connection from Twilio, with the call token of its first message. Null if no such message comes. */
export async function twilioTransport(
  path: string,
  socket: WebSocket,
  deps: { nowMs: () => number; log: { warn(fields: object, message: string): void } },
): Promise<(Transport & { token: string }) | null> {
  const shared = { isRecordedHere: false, lacksInboundEvents: true } as const;
  if (path === streamPath) {
    const connection = await firstMessage(socket, readStreamStart);
    if (connection === null) return null;
    return {
      ...shared,
      token: connection.start.customParameters[tokenParameter] ?? '',
      carries: 'audio',
      open: (events) => openStreamLeg(socket, connection, events, deps.nowMs),
    };
  }
  if (path !== relayPath) return null;
  const connection = await firstMessage(socket, readRelaySetup);
  if (connection === null) return null;
  return {
    ...shared,
    token: connection.start.customParameters[tokenParameter] ?? '',
    carries: 'text',
    open: (events, { greets }) =>
      openRelayLeg(socket, connection, events, {
        greets,
        // The description may quote the call, so only its length is logged.
        onFault: ({ length }) => deps.log.warn({ letters: length }, 'ConversationRelay reported an error'),
      }),
  };
}

/** A longer message is not audio of a call. */
const longestMessage = 65_536;

/**
 * The websocket of Asterisk's chan_websocket: audio in binary messages, commands and events in text. Audio may arrive before
 * `MEDIA_START`, and messages need not be whole frames. Asterisk can only flush its whole queue, so little is sent ahead.
 */
function openAsteriskLeg(socket: WebSocket, events: LegEvents): Leg {
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
