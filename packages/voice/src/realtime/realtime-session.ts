import { WebSocket } from 'ws';
import { toMuLaw } from '../audio/mu-law.ts';
import type { ModelFailure, ToolDeclaration } from '../language-model/index.ts';
import { isRefusal } from '../models/refusal.ts';
import { createAnswerRequests } from './answer-requests.ts';
import type { RealtimePart } from './model-answer.ts';
import { readRealtimeEvent, type RealtimeEvent } from './realtime-events.ts';
import { RealtimeFailedError } from './realtime-failed-error.ts';
import { Transcriptions } from '../models/transcriptions.ts';

/** The connection of one call to a realtime model. */
export interface RealtimeSession {
  /** Sends the person's turn. Resolves to its words, or to null if they were not transcribed in time. */
  sendSpeech(
    samples: Int16Array,
    signal: AbortSignal,
    late?: (words: string) => void,
  ): Promise<string | null>;
  sendText(text: string): Promise<void>;
  sendToolResult(callId: string, result: string): Promise<void>;
  /** @param options of the server's `response.create` */
  respond(signal: AbortSignal, options?: object): AsyncGenerator<RealtimePart, void, void>;
  /** Cuts an item in the server's conversation to the part that the person has heard. */
  truncate(itemId: string, heardMs: number): void;
  /** The person has left: their words are waited for longer. */
  left(): void;
  close(): void;
}

const openMs = 5_000;
const longestMessage = 4_194_304;
/** A second of audio per message. */
const chunkBytes = 8_000;
/** Beyond this, the server has stopped reading. */
const unsentBytes = 4_194_304;

/**
 * @param on `failed` is called at most once. It is not called if we close the session, nor if the server refuses the agent's settings, such as an unknown
 * model or voice
 */
export function openRealtimeSession(
  settings: RealtimeSettings,
  on: { ready: () => void; failed: (reason: ModelFailure) => void },
): RealtimeSession {
  const url = new URL(`${settings.url.replace(/^http/, 'ws')}/realtime`);
  if (settings.model !== null) url.searchParams.set('model', settings.model);
  const socket = new WebSocket(url, {
    headers: settings.key === null ? {} : { authorization: `Bearer ${settings.key}` },
    handshakeTimeout: openMs,
    maxPayload: longestMessage,
    perMessageDeflate: false,
    followRedirects: false,
  });
  const ready = Promise.withResolvers<void>();
  // Requests that wait for `ready` get the error.
  ready.promise.catch(() => undefined);
  const late = setTimeout(() => fail(new RealtimeFailedError('it was not ready in time')), openMs);
  const transcriptions = new Transcriptions();
  let failure: Error | null = null;
  let isReady = false;
  const answers = createAnswerRequests({
    send,
    hasFailed: () => failure !== null,
    silentMs: settings.silentMs,
    onLate(reason) {
      const what = reason === 'silent_too_long' ? 'it fell silent' : 'its answer does not end';
      fail(new RealtimeFailedError(what), reason);
    },
  });

  /** @param reason null if the server is not at fault */
  function fail(error: Error, reason: ModelFailure | null = 'unreachable'): void {
    if (failure !== null) return;
    failure = error;
    if (reason !== null) on.failed(reason);
    clearTimeout(late);
    ready.reject(error);
    transcriptions.fail(error);
    answers.fail(error);
    socket.terminate();
  }

  function send(event: object): void {
    if (failure !== null) throw failure;
    if (socket.bufferedAmount > unsentBytes) fail(new RealtimeFailedError('it has stopped reading'));
    if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(event));
  }

  function take(event: RealtimeEvent): void {
    switch (event.type) {
      case 'session.created':
        return send({ type: 'session.update', session: sessionOf(settings) });
      case 'session.updated':
        clearTimeout(late);
        isReady = true;
        on.ready();
        return ready.resolve();
      case 'error': {
        const { code, type, event_id: eventId } = event.error;
        const refused = new RealtimeFailedError(`it refused: ${code ?? type ?? 'no reason'}`);
        if (!isReady) fail(refused, type === 'server_error' ? 'unreachable' : null);
        else answers.refused(eventId, refused);
        return;
      }
      case 'input_audio_buffer.committed':
        return transcriptions.committed(event.item_id);
      case 'conversation.item.input_audio_transcription.completed':
        return transcriptions.transcribed(event.item_id, event.transcript.trim());
      case 'conversation.item.input_audio_transcription.failed':
        return transcriptions.transcribed(event.item_id, null);
      case 'response.created':
        return answers.created(event.response.id);
      default:
        return answers.take(event);
    }
  }

  socket.on('message', (data, isBinary) => {
    if (isBinary || !Buffer.isBuffer(data)) return;
    const event = readRealtimeEvent(data.toString('utf8'));
    if (event !== null && failure === null) take(event);
  });
  socket.on('error', (error) => fail(new RealtimeFailedError('it cannot be reached', { cause: error })));
  socket.on('unexpected-response', (_request, { statusCode = 0 }) => {
    const error = new RealtimeFailedError(`it answered with ${statusCode}`);
    fail(error, isRefusal(statusCode) ? null : `status_${statusCode}`);
  });
  socket.on('close', () => fail(new RealtimeFailedError('it broke off'), 'broke_off'));

  async function createItem(item: object): Promise<void> {
    await ready.promise;
    send({ type: 'conversation.item.create', item });
  }

  return {
    async sendSpeech(samples, signal, late) {
      await ready.promise;
      const bytes = Buffer.from(toMuLaw(samples));
      for (let at = 0; at < bytes.length; at += chunkBytes) {
        const audio = bytes.subarray(at, at + chunkBytes).toString('base64');
        send({ type: 'input_audio_buffer.append', audio });
      }
      send({ type: 'input_audio_buffer.commit' });
      return transcriptions.next(signal, late);
    },
    sendText: (text) =>
      createItem({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] }),
    sendToolResult: (callId, output) => createItem({ type: 'function_call_output', call_id: callId, output }),
    async *respond(signal, options = {}) {
      await ready.promise;
      yield* answers.respond(signal, options);
    },
    left() {
      transcriptions.isPatient = true;
    },
    truncate(itemId, heardMs) {
      if (failure !== null) return;
      send({
        type: 'conversation.item.truncate',
        item_id: itemId,
        content_index: 0,
        audio_end_ms: Math.max(0, Math.floor(heardMs)),
      });
    },
    close() {
      fail(new RealtimeFailedError('it was closed'), null);
    },
  };
}

interface RealtimeSettings {
  /** The base URL of the endpoint, without `/realtime`. */
  url: string;
  key: string | null;
  model: string | null;
  instructions: string;
  voice: string | null;
  speed: number | null;
  /** The model that transcribes the person. */
  transcriptionModel: string;
  language: string;
  tools: readonly ToolDeclaration[];
  maxTokens: number;
  /** How long the server may be silent during an answer. */
  silentMs: number;
}

/** Turns follow our own rules, so the server's turn detection is off. Audio goes both ways in the format of the line. */
function sessionOf(settings: RealtimeSettings): object {
  return {
    type: 'realtime',
    output_modalities: ['audio'],
    instructions: settings.instructions,
    max_output_tokens: settings.maxTokens,
    audio: {
      input: {
        format: { type: 'audio/pcmu' },
        turn_detection: null,
        transcription: {
          model: settings.transcriptionModel,
          language: settings.language.split('-', 1)[0] ?? settings.language,
        },
      },
      output: {
        format: { type: 'audio/pcmu' },
        ...(settings.voice !== null && { voice: settings.voice }),
        ...(settings.speed !== null && { speed: settings.speed }),
      },
    },
    tools: settings.tools.map((tool) => ({ type: 'function', ...tool })),
    tool_choice: 'auto',
  };
}
