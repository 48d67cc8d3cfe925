import { z } from 'zod';
import { readJson } from '../../read-json.ts';

/**
 * https://www.twilio.com/docs/voice/conversationrelay/websocket-messages, as of 22 November 2026; Telnyx documents the same messages.
 * Fields that we do not use are left out.
 */
const setup = z.object({
  type: z.literal('setup'),
  callSid: z.string().min(1).max(200),
  customParameters: z.record(z.string(), z.string()).default({}),
});

export type RelaySetup = z.output<typeof setup>;

const longestText = 10_000;
const cutText = (longest: number) => z.string().transform((text) => text.slice(0, longest));

const message = z.discriminatedUnion('type', [
  z.object({ type: z.literal('prompt'), voicePrompt: cutText(longestText), last: z.boolean().default(true) }),
  z.object({ type: z.literal('interrupt'), utteranceUntilInterrupt: cutText(longestText) }),
  z.object({ type: z.literal('dtmf'), digit: z.string().regex(/^[0-9A-D*#]$/) }),
  z.object({ type: z.literal('error'), description: cutText(500) }),
]);

export const readRelaySetup = (text: string): RelaySetup | null => readJson(setup, text);

/** Null for an unknown message. */
export const readRelayMessage = (text: string) => readJson(message, text);
