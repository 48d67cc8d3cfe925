import type { VoiceEndpoint } from '@outdial/runtime';
import { z } from 'zod';
import { readJson } from '../read-json.ts';

/** What a live recognizer tells. `item`: one utterance. */
export type Heard =
  | { kind: 'ready' }
  | { kind: 'committed'; item: string }
  /** The words of an utterance so far. */
  | { kind: 'partial'; text: string }
  /** Null: it could not be transcribed. */
  | { kind: 'transcript'; item: string; text: string | null }
  | { kind: 'failed' };

/** How a server wants the sound of a telephone line (µ-law, 8,000 samples a second), and how it tells the words. */
export interface LiveProtocol {
  url: URL;
  headers: Record<string, string>;
  /** Sent once the connection is open. */
  begin: object | null;
  sound(bytes: Uint8Array): Uint8Array | string;
  /** Asks for the rest of the words of an utterance. */
  finish: object;
  /** Sent while nobody speaks. */
  keepAlive: object | null;
  /** Not to be shared by connections: it gathers what belongs together. */
  read(message: string): Heard[];
}

const longestText = 10_000;
const text = z.string().max(longestText);
const id = z.string().min(1).max(200);

export const isLive = ({ url }: Pick<VoiceEndpoint, 'url'>): boolean => /^wss?:/.test(url);

/** Deepgram's protocol if the address ends in `/listen`, otherwise that of OpenAI's transcription sessions. */
export const protocolOf = (endpoint: VoiceEndpoint, language: string): LiveProtocol =>
  endpoint.url.endsWith('/listen') ? listen(endpoint, language) : transcription(endpoint, language);

const results = z.object({
  type: z.literal('Results'),
  is_final: z.boolean(),
  from_finalize: z.boolean().optional(),
  channel: z.object({ alternatives: z.array(z.object({ transcript: text })).max(10) }),
});

/** https://developers.deepgram.com/reference/speech-to-text/listen-streaming, as of November 2026 */
function listen(endpoint: VoiceEndpoint, language: string): LiveProtocol {
  const url = new URL(endpoint.url);
  const settings = {
    ...(endpoint.model !== null && { model: endpoint.model }),
    language,
    encoding: 'mulaw',
    sample_rate: '8000',
    interim_results: 'true',
    punctuate: 'true',
    // We tell it where an utterance ends.
    endpointing: 'false',
  };
  for (const [name, value] of Object.entries(settings)) url.searchParams.set(name, value);
  let settled = '';
  let items = 0;
  return {
    url,
    headers: endpoint.key === null ? {} : { authorization: `Token ${endpoint.key}` },
    begin: null,
    sound: (bytes) => bytes,
    finish: { type: 'Finalize' },
    keepAlive: { type: 'KeepAlive' },
    read(message) {
      const read = readJson(results, message);
      if (read === null) return [];
      const said = read.channel.alternatives[0]?.transcript.trim() ?? '';
      const all = `${settled} ${said}`.trim().slice(0, longestText);
      if (read.is_final) settled = all;
      if (read.from_finalize !== true) return [{ kind: 'partial', text: all }];
      settled = '';
      items += 1;
      const item = String(items);
      return [
        { kind: 'committed', item },
        { kind: 'transcript', item, text: all },
      ];
    },
  };
}

const events = z.discriminatedUnion('type', [
  z.object({ type: z.enum(['session.updated', 'transcription_session.updated']) }),
  z.object({ type: z.literal('error') }),
  z.object({ type: z.literal('input_audio_buffer.committed'), item_id: id }),
  z.object({
    type: z.literal('conversation.item.input_audio_transcription.delta'),
    item_id: id,
    delta: text,
  }),
  z.object({
    type: z.literal('conversation.item.input_audio_transcription.completed'),
    item_id: id,
    transcript: text,
  }),
  z.object({ type: z.literal('conversation.item.input_audio_transcription.failed'), item_id: id }),
]);

/** https://platform.openai.com/docs/guides/realtime-transcription, as of November 2026 */
function transcription(endpoint: VoiceEndpoint, language: string): LiveProtocol {
  const url = new URL(`${endpoint.url}/realtime`);
  url.searchParams.set('intent', 'transcription');
  let delta = { item: '', text: '' };
  const begin = {
    type: 'session.update',
    session: {
      type: 'transcription',
      audio: {
        input: {
          format: { type: 'audio/pcmu' },
          transcription: {
            model: endpoint.model ?? 'gpt-4o-mini-transcribe',
            language: language.split('-', 1)[0] ?? language,
          },
          // We tell it where an utterance ends.
          turn_detection: null,
        },
      },
    },
  };
  return {
    url,
    headers: endpoint.key === null ? {} : { authorization: `Bearer ${endpoint.key}` },
    begin,
    sound: (bytes) =>
      JSON.stringify({
        type: 'input_audio_buffer.append',
        audio: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64'),
      }),
    finish: { type: 'input_audio_buffer.commit' },
    keepAlive: null,
    read(message) {
      const event = readJson(events, message);
      if (event === null) return [];
      switch (event.type) {
        case 'session.updated':
        case 'transcription_session.updated':
          return [{ kind: 'ready' }];
        case 'error':
          return [{ kind: 'failed' }];
        case 'input_audio_buffer.committed':
          return [{ kind: 'committed', item: event.item_id }];
        case 'conversation.item.input_audio_transcription.delta': {
          const before = delta.item === event.item_id ? delta.text : '';
          delta = { item: event.item_id, text: `${before}${event.delta}`.slice(0, longestText) };
          return [{ kind: 'partial', text: delta.text.trim() }];
        }
        case 'conversation.item.input_audio_transcription.completed':
          return [{ kind: 'transcript', item: event.item_id, text: event.transcript.trim() }];
        case 'conversation.item.input_audio_transcription.failed':
          return [{ kind: 'transcript', item: event.item_id, text: null }];
      }
    },
  };
}
