import { z } from 'zod';

const content = z.union([
  z.strictObject({ type: z.literal('input_text'), text: z.string() }),
  z.strictObject({ type: z.literal('output_text'), text: z.string() }),
]);
const message = z.strictObject({
  type: z.literal('message'),
  role: z.enum(['user', 'assistant', 'system']),
  content: z.array(content),
});
const format = z.strictObject({ type: z.literal('audio/pcmu') });
const tool = z.strictObject({
  type: z.literal('function'),
  name: z.string(),
  description: z.string(),
  parameters: z.record(z.string(), z.unknown()),
});

/** What a client may send (https://platform.openai.com/docs/api-reference/realtime-client-events, read on 22 November 2026), as far as it is used, and nothing else. */
export const sent = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('session.update'),
    session: z.strictObject({
      type: z.literal('realtime'),
      output_modalities: z.tuple([z.literal('audio')]),
      instructions: z.string(),
      max_output_tokens: z.int(),
      audio: z.strictObject({
        input: z.strictObject({
          format,
          turn_detection: z.null(),
          transcription: z.strictObject({ model: z.string(), language: z.string() }),
        }),
        output: z.strictObject({ format, voice: z.string().optional(), speed: z.number().optional() }),
      }),
      tools: z.array(tool),
      tool_choice: z.literal('auto'),
    }),
  }),
  z.strictObject({ type: z.literal('input_audio_buffer.append'), audio: z.base64().min(1) }),
  z.strictObject({ type: z.literal('input_audio_buffer.commit') }),
  z.strictObject({
    type: z.literal('conversation.item.create'),
    item: z.union([
      message,
      z.strictObject({ type: z.literal('function_call_output'), call_id: z.string(), output: z.string() }),
    ]),
  }),
  z.strictObject({
    type: z.literal('conversation.item.truncate'),
    item_id: z.string(),
    content_index: z.literal(0),
    audio_end_ms: z.int().min(0),
  }),
  z.strictObject({
    type: z.literal('response.create'),
    event_id: z.string().optional(),
    response: z.strictObject({
      instructions: z.string().optional(),
      tool_choice: z.enum(['auto', 'none']).optional(),
      conversation: z.enum(['auto', 'none']).optional(),
      output_modalities: z.tuple([z.enum(['audio', 'text'])]).optional(),
      input: z.array(message).optional(),
    }),
  }),
  z.strictObject({ type: z.literal('response.cancel') }),
]);

export type Sent = z.output<typeof sent>;
export type Session = Extract<Sent, { type: 'session.update' }>['session'];
