import { z } from 'zod';
import { extractSchema } from './extract-schema.ts';

/** As in `VOICE_ENDPOINT_<NAME>_URL`, in lower case. */
export const endpointName = z.string().regex(/^[a-z][a-z0-9_]{0,39}$/, {
  error: 'must be the name of an endpoint: lowercase letters, digits and underscores, such as `llm`',
});

const modelName = z.string().min(1).max(200);
/** A text to speak; `{{name}}` is replaced as in the prompt. */
const spoken = z.string().trim().min(1).max(2_000);
const milliseconds = (min: number, max: number) => z.int().min(min).max(max);

function endpoint(byDefault: string) {
  return {
    endpoint: endpointName
      .default(byDefault)
      .describe('The name of an endpoint, as in `VOICE_ENDPOINT_<NAME>_URL`.'),
    fallbacks: z
      .array(endpointName)
      .max(3)
      .default([])
      .describe('The endpoints to try, in this order, if the first one fails.'),
    model: modelName
      .optional()
      .describe("Overrides the endpoint's model. Fallbacks that have their own model keep it."),
  };
}

const llm = z.strictObject({
  ...endpoint('llm'),
  temperature: z.number().min(0).max(2).optional(),
  max_tokens: z
    .int()
    .min(16)
    .max(4_096)
    .default(400)
    .describe('The maximum number of tokens in one response of the model.'),
  timeout_ms: milliseconds(500, 30_000)
    .default(5_000)
    .describe('How long to wait for an endpoint before the next one is tried.'),
});

const stt = z.strictObject({
  ...endpoint('stt'),
  prompt: z.string().max(1_000).optional().describe('Names and terms that the person is likely to say.'),
});

const tts = z.strictObject({
  ...endpoint('tts'),
  voice: z.string().min(1).max(200).optional().describe("One of the endpoint's voices."),
  speed: z.number().min(0.25).max(4).optional(),
});

const turn = z
  .strictObject({
    silence_ms: milliseconds(100, 3_000)
      .default(400)
      .describe('How long the person must be silent for their turn to end.'),
    unfinished_silence_ms: milliseconds(100, 5_000)
      .default(1_500)
      .describe("The same if the person's sentence, number or spelling sounds unfinished."),
    pause_after_ms: milliseconds(50, 2_000)
      .default(200)
      .describe('How long the person must speak over the agent for the agent to pause.'),
    drop_after_ms: milliseconds(100, 5_000)
      .default(600)
      .describe('How long the person must speak over the agent for the agent to stop.'),
    longest_utterance_seconds: z
      .int()
      .min(5)
      .max(300)
      .default(30)
      .describe('The agent responds after this long even if the person does not pause.'),
  })
  .refine((value) => value.unfinished_silence_ms >= value.silence_ms, {
    path: ['unfinished_silence_ms'],
    error: 'must be at least silence_ms',
  })
  .refine((value) => value.drop_after_ms >= value.pause_after_ms, {
    path: ['drop_after_ms'],
    error: 'must be at least pause_after_ms',
  });

const keys = z.strictObject({
  timeout_ms: milliseconds(200, 10_000)
    .default(1_500)
    .describe('How long the agent waits for another key before it answers.'),
  finish_on: z
    .string()
    .regex(/^[0-9A-D*#]{0,4}$/, { error: 'must be keys, such as `#`, or empty' })
    .default('#')
    .describe(
      'Keys that end the input at once, and are not part of it. If one is pressed first, it is the input.',
    ),
  length: z
    .int()
    .min(1)
    .max(50)
    .optional()
    .describe('After this many keys, the agent answers at once. With 1, it answers each key.'),
});

const idle = z.strictObject({
  after_seconds: z
    .number()
    .min(2)
    .max(120)
    .default(8)
    .describe('How long both sides must be silent before the agent asks whether the person is still there.'),
  prompts: z
    .array(spoken)
    .max(5)
    .default(['Are you still there?'])
    .describe(
      'What the agent says after each silence, in this order. After the last one, the agent hangs up.',
    ),
});

const voicemail = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('hang_up') }),
  z.strictObject({
    action: z.literal('leave_message'),
    message: spoken.describe('What the agent says after the beep. `{{name}}` is replaced as in the prompt.'),
  }),
]);

const extract = z.strictObject({
  schema: extractSchema
    .optional()
    .describe('The JSON Schema of `call_extract`. Without it, no data is extracted.'),
  instructions: z
    .string()
    .max(4_000)
    .optional()
    .describe('Instructions for the model that extracts the data.'),
  summary: z
    .boolean()
    .default(true)
    .describe("Whether to add a summary of the conversation to the call's record."),
});

/**
 * How an agent talks if Outdial is its voice runtime. All other fields have defaults, so `{mode: 'cascade'}` is a complete config with the endpoints
 * `llm`, `stt` and `tts`.
 */
export const agentVoice = z
  .strictObject({
    mode: z
      .enum(['cascade', 'realtime', 'relay'])
      .describe(
        '`cascade` uses separate models to listen, think and speak. `realtime` uses one model for all three, the endpoint of `llm`. `relay` leaves listening and speaking to the carrier.',
      ),
    greeting: spoken
      .nullable()
      .default(null)
      .describe(
        'What the agent says when the call is answered. If null, the agent waits for the person to speak.',
      ),
    language: z
      .string()
      .regex(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$/, {
        error: 'must be a language tag, such as `en` or `pt-BR`',
      })
      .default('en'),
    llm: llm.prefault({}),
    stt: stt.prefault({}),
    tts: tts.prefault({}),
    turn: turn.prefault({}),
    keys: keys.prefault({}),
    idle: idle.prefault({}),
    machine_detection: z
      .boolean()
      .default(true)
      .describe(
        'Whether to detect that an answering machine took the call. If false, the agent talks to answering machines as if they were people.',
      ),
    voicemail: voicemail.default({ action: 'hang_up' }),
    extract: extract.prefault({}),
    record: z.boolean().default(false).describe('Whether to record the conversation.'),
  })
  // https://platform.openai.com/docs/api-reference/realtime-client-events/session/update
  .refine(({ mode, tts: { speed = 1 } }) => mode !== 'realtime' || speed <= 1.5, {
    path: ['tts', 'speed'],
    error: 'must be at most 1.5 in `realtime` mode',
  })
  .refine(({ mode, tts: { speed } }) => mode !== 'relay' || speed === undefined, {
    path: ['tts', 'speed'],
    error: 'cannot be set in `relay` mode: the carrier speaks',
  })
  .refine(({ mode, voicemail: { action } }) => mode !== 'relay' || action !== 'leave_message', {
    path: ['voicemail', 'action'],
    error: 'must be `hang_up` in `relay` mode; the carrier does not report the beep of an answering machine',
  })
  .refine(({ machine_detection: detects, voicemail: { action } }) => detects || action !== 'leave_message', {
    path: ['voicemail', 'action'],
    error: 'must be `hang_up` without `machine_detection`; answering machines are not detected then',
  })
  .meta({ id: 'AgentVoice' });

export type AgentVoice = z.output<typeof agentVoice>;

/** For each model of a conversation, its endpoint and the fallbacks. */
export function endpointsByPart(voice: AgentVoice): string[][] {
  const parts = voice.mode === 'cascade' ? (['llm', 'stt', 'tts'] as const) : (['llm'] as const);
  return parts.map((part) => [voice[part].endpoint, ...voice[part].fallbacks]);
}

/**
 * The endpoints that this agent calls, with the field that names each.
 * @param byText the conversation has no audio, so only the language model is needed
 */
export function endpointsOf(
  voice: AgentVoice,
  { byText = false } = {},
): Array<{ path: Array<string | number>; name: string }> {
  const needsSound = voice.mode === 'cascade' && !byText;
  const parts = needsSound ? (['llm', 'stt', 'tts'] as const) : (['llm'] as const);
  return parts.flatMap((part) => [
    { path: [part, 'endpoint'], name: voice[part].endpoint },
    ...voice[part].fallbacks.map((name, index) => ({ path: [part, 'fallbacks', index], name })),
  ]);
}
