import { z } from 'zod';
import { readJson } from '../read-json.ts';

/**
 * Server events of OpenAI's Realtime protocol, as of 22 November 2026
 * (https://platform.openai.com/docs/api-reference/realtime-server-events). Fields that we do not use are left out.
 */
const id = z.string().min(1).max(200);
const item = z.object({ id: id.optional(), type: z.string().max(100) });
const longestText = 100_000;

const event = z.discriminatedUnion('type', [
  z.object({ type: z.literal('session.created') }),
  z.object({ type: z.literal('session.updated') }),
  z.object({
    type: z.literal('error'),
    error: z.object({
      event_id: z.string().nullish(),
      code: z.string().nullish(),
      type: z.string().nullish(),
    }),
  }),
  z.object({ type: z.literal('input_audio_buffer.committed'), item_id: id }),
  z.object({
    type: z.literal('conversation.item.input_audio_transcription.completed'),
    item_id: id,
    transcript: z.string().max(longestText),
  }),
  z.object({ type: z.literal('conversation.item.input_audio_transcription.failed'), item_id: id }),
  z.object({ type: z.literal('response.created'), response: z.object({ id }) }),
  z.object({ type: z.literal('response.output_item.added'), response_id: id, item }),
  z.object({
    type: z.literal('response.output_item.done'),
    response_id: id,
    item: item.extend({
      name: z.string().max(200).optional(),
      call_id: id.optional(),
      arguments: z.string().max(65_536).optional(),
    }),
  }),
  z.object({
    type: z.literal('response.output_audio.delta'),
    response_id: id,
    item_id: id,
    delta: z.string(),
  }),
  z.object({ type: z.literal('response.output_audio.done'), response_id: id, item_id: id }),
  z.object({
    type: z.literal('response.output_audio_transcript.delta'),
    response_id: id,
    item_id: id,
    delta: z.string().max(longestText),
  }),
  z.object({
    type: z.literal('response.output_text.delta'),
    response_id: id,
    delta: z.string().max(longestText),
  }),
  z.object({
    type: z.literal('response.done'),
    response: z.object({ id, status: z.string().max(50).nullish() }),
  }),
]);

export type RealtimeEvent = z.output<typeof event>;

/** Null for an unknown or invalid event. */
export const readRealtimeEvent = (text: string): RealtimeEvent | null => readJson(event, text);
