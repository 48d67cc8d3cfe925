import { relayPath, streamPath, tokenParameter } from '@outdial/providers/environment';
import type { WebSocket } from 'ws';
import { openAsteriskLeg } from './asterisk/media-leg.ts';
import { firstMessage } from './first-message.ts';
import type { Leg, LegEvents } from './leg.ts';
import { openRelayLeg } from './twilio/relay-leg.ts';
import { readRelaySetup } from './twilio/relay-messages.ts';
import { openStreamLeg } from './twilio/stream-leg.ts';
import { readStreamStart } from './twilio/stream-messages.ts';
import { openWebLeg } from './web/web-leg.ts';

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
