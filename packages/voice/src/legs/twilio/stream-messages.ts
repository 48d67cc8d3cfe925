import { z } from 'zod';
import { readJson } from '../../read-json.ts';

/** https://www.twilio.com/docs/voice/media-streams/websocket-messages, as of 22 November 2026. Fields that we do not use are left out. */
const start = z.object({
  event: z.literal('start'),
  start: z.object({
    streamSid: z.string().min(1).max(100),
    callSid: z.string().min(1).max(100),
    customParameters: z.record(z.string(), z.string()).default({}),
    mediaFormat: z.object({
      encoding: z.literal('audio/x-mulaw'),
      sampleRate: z.literal(8_000),
      channels: z.literal(1),
    }),
  }),
});

export type StreamStart = z.output<typeof start>['start'];

/** Three seconds of audio; Twilio sends 20 ms. */
const longestPayload = 32_768;

const message = z.discriminatedUnion('event', [
  z.object({
    event: z.literal('media'),
    media: z.object({ track: z.string().optional(), payload: z.string().max(longestPayload) }),
  }),
  z.object({ event: z.literal('dtmf'), dtmf: z.object({ digit: z.string().regex(/^[0-9A-D*#]$/) }) }),
  z.object({ event: z.literal('mark'), mark: z.object({ name: z.string().max(100) }) }),
  z.object({ event: z.literal('stop') }),
]);

export const readStreamStart = (text: string): StreamStart | null => readJson(start, text)?.start ?? null;

/** Null for an unknown message. */
export const readStreamMessage = (text: string) => readJson(message, text);
