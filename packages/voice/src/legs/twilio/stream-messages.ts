import { z } from 'zod';
import { parsedJson } from '../first-message.ts';

/** https://www.twilio.com/docs/voice/media-streams/websocket-messages, as it was on 22 November 2026. Only what is read is looked at. */
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

/** A fifth of a second would be 2,200 letters; Twilio sends 20 ms. */
const longestPayload = 32_768;

const message = z.discriminatedUnion('event', [
  z.object({
    event: z.literal('media'),
    media: z.object({
      track: z.string().optional(),
      payload: z.string().max(longestPayload),
    }),
  }),
  z.object({ event: z.literal('dtmf'), dtmf: z.object({ digit: z.string().regex(/^[0-9A-D*#]$/) }) }),
  z.object({ event: z.literal('mark'), mark: z.object({ name: z.string().max(100) }) }),
  z.object({ event: z.literal('stop') }),
]);

export type StreamMessage = z.output<typeof message>;

export const readStreamStart = (text: string): StreamStart | null =>
  start.safeParse(parsedJson(text)).data?.start ?? null;

/** Null for what is not known: Twilio may add messages. */
export const readStreamMessage = (text: string): StreamMessage | null =>
  message.safeParse(parsedJson(text)).data ?? null;
