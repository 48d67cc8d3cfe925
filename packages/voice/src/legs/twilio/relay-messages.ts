import { z } from 'zod';
import { parsedJson } from '../first-message.ts';

/**
 * https://www.twilio.com/docs/voice/conversationrelay/websocket-messages, as it was on 22 November 2026; Telnyx documents the same
 * messages. Only what is read is looked at.
 */
const setup = z.object({
  type: z.literal('setup'),
  callSid: z.string().min(1).max(200),
  customParameters: z.record(z.string(), z.string()).default({}),
});

export type RelaySetup = z.output<typeof setup>;

const longestText = 10_000;

const message = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('prompt'),
    voicePrompt: z.string().transform((text) => text.slice(0, longestText)),
    last: z.boolean().default(true),
  }),
  z.object({
    type: z.literal('interrupt'),
    utteranceUntilInterrupt: z.string().transform((text) => text.slice(0, longestText)),
  }),
  z.object({ type: z.literal('dtmf'), digit: z.string().regex(/^[0-9A-D*#]$/) }),
  z.object({ type: z.literal('error'), description: z.string().transform((text) => text.slice(0, 500)) }),
]);

export type RelayMessage = z.output<typeof message>;

export const readRelaySetup = (text: string): RelaySetup | null =>
  setup.safeParse(parsedJson(text)).data ?? null;

/** Null for what is not known: Twilio may add messages. */
export const readRelayMessage = (text: string): RelayMessage | null =>
  message.safeParse(parsedJson(text)).data ?? null;
