import { z } from 'zod';

const phone = z.string().regex(/^\+[1-9]\d{6,14}$/, { error: 'must be a phone number in E.164 format' });
/** Twilio connects to voice runtimes only over TLS. */
const websocketUrl = z.url({ protocol: /^wss$/, error: 'must be a wss:// address' });
const word = z.string().min(1).max(200);

/**
 * The destination of an answered call. The attributes are Twilio's, in our naming style:
 * https://www.twilio.com/docs/voice/twiml/connect/conversationrelay and …/twiml/stream
 */
const voice = z.discriminatedUnion('connect', [
  z.strictObject({
    connect: z.literal('conversation_relay'),
    url: websocketUrl,
    welcome_greeting: z.string().min(1).max(1_000).optional(),
    language: word.optional(),
    voice: word.optional(),
    tts_provider: word.optional(),
    transcription_provider: word.optional(),
    speech_model: word.optional(),
    interruptible: z.enum(['none', 'dtmf', 'speech', 'any']).optional(),
    dtmf_detection: z.boolean().optional(),
  }),
  z.strictObject({ connect: z.literal('stream'), url: websocketUrl }),
  z.strictObject({
    connect: z.literal('twiml'),
    /** The user's own TwiML. `{{call_id}}` and the names of prompt parameters are filled in. */
    twiml: z.string().regex(/^\s*(<\?xml[^>]*\?>\s*)?<Response[\s>][\s\S]*<\/Response>\s*$/, {
      error: 'must be one <Response> element',
    }),
  }),
  z.strictObject({
    connect: z.literal('twiml_url'),
    /** Twilio fetches the instructions from this URL, with the call's id and prompt parameters in the query. */
    url: z.url({ protocol: /^https$/, error: 'must be an https:// address' }),
  }),
]);

export type Voice = z.output<typeof voice>;

/** The fields of an agent's `config.telephony` for calls over Twilio. The provider's row holds the defaults. */
export const telephonyConfig = z.object({
  from_phone: phone.optional(),
  voice: voice.optional(),
  /** `detect` reports a machine as soon as possible; `message_end` waits for the end of its greeting, so that a message can be left. */
  machine_detection: z.enum(['off', 'detect', 'message_end']).optional(),
  on_machine: z.enum(['hang_up', 'continue']).optional(),
  record: z.boolean().optional(),
});

export type TelephonyConfig = z.output<typeof telephonyConfig>;

export type TelephonyReading =
  | { kind: 'ok'; config: TelephonyConfig }
  /** `fault` names the field and the error. */
  | { kind: 'wrong'; fault: string };

/** An agent's config over the defaults of its provider. */
export function readTelephony(
  agentConfig: Record<string, unknown>,
  defaults: TelephonyConfig,
): TelephonyReading {
  const own = telephonyConfig.safeParse(agentConfig['telephony'] ?? {});
  if (own.success) return { kind: 'ok', config: { ...defaults, ...own.data } };
  const [issue] = own.error.issues;
  const field = ['telephony', ...(issue?.path ?? [])].map(String).join('.');
  return { kind: 'wrong', fault: `${field}: ${issue?.message ?? 'is invalid'}` };
}

/** Without the defaults of its provider; empty if it is invalid. */
export function ownTelephony(agentConfig: Record<string, unknown>): TelephonyConfig {
  return telephonyConfig.safeParse(agentConfig['telephony'] ?? {}).data ?? {};
}

/** Whether the agent itself says what an answered call does. */
export function hasOwnVoice(agentConfig: Record<string, unknown>): boolean {
  return ownTelephony(agentConfig).voice !== undefined;
}
