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

/** How a carrier's connection becomes a leg, once the call is known. */
export interface WayToPerson {
  /** Words where the carrier hears and speaks. */
  carries: 'sound' | 'words';
  /** Carriers record what they carry; an Asterisk leaves it to us. */
  isRecordedHere: boolean;
  /** A page in a browser, and no carrier. */
  isPage?: true;
  /** Its carrier may not tell us when a call that came in was answered, and when it ended. */
  isSilentOfInbound?: true;
  open(events: LegEvents, call: { greets: boolean }): Leg;
}

export const asterisk = (socket: WebSocket): WayToPerson => ({
  carries: 'sound',
  isRecordedHere: true,
  open: (events) => openAsteriskLeg(socket, events),
});

export const page = (socket: WebSocket, nowMs: () => number): WayToPerson => ({
  carries: 'sound',
  isRecordedHere: true,
  isPage: true,
  open: (events) => openWebLeg(socket, events, { nowMs }),
});

/** A connection of Twilio's, and the token of its first message; null if none comes. */
export async function twilioWay(
  path: string,
  socket: WebSocket,
  deps: { nowMs: () => number; log: { warn(fields: object, message: string): void } },
): Promise<(WayToPerson & { token: string }) | null> {
  if (path === streamPath) {
    const named = await firstMessage(socket, readStreamStart);
    if (named === null) return null;
    return {
      token: named.start.customParameters[tokenParameter] ?? '',
      carries: 'sound',
      isRecordedHere: false,
      isSilentOfInbound: true,
      open: (events) => openStreamLeg(socket, named, events, deps.nowMs),
    };
  }
  if (path !== relayPath) return null;
  const named = await firstMessage(socket, readRelaySetup);
  if (named === null) return null;
  return {
    token: named.start.customParameters[tokenParameter] ?? '',
    carries: 'words',
    isRecordedHere: false,
    isSilentOfInbound: true,
    open: (events, { greets }) =>
      openRelayLeg(socket, named, events, {
        greets,
        // What it describes may be the words of the call.
        onFault: (description) =>
          deps.log.warn({ letters: description.length }, 'ConversationRelay has reported an error'),
      }),
  };
}
