import { randomUUID } from 'node:crypto';
import { setTimeout as setTimeoutAsync } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { toMuLaw } from '../audio/mu-law.ts';
import type { ModelFailure, ToolCall, ToolDeclaration } from '../language-model/index.ts';
import { parsedJson } from '../legs/first-message.ts';
import { isRefusal } from '../models/refusal.ts';
import { readRealtimeEvent, type RealtimeEvent } from './realtime-events.ts';
import { spokenItem, type SpokenItem, type SpokenItemWriter } from './speech-stream.ts';

export interface RealtimeSettings {
  /** The base of the server, as of any endpoint: `/realtime` is below it. */
  url: string;
  key: string | null;
  model: string | null;
  instructions: string;
  voice: string | null;
  speed: number | null;
  /** What writes down what the person says. */
  transcriptionModel: string;
  language: string;
  tools: readonly ToolDeclaration[];
  maxTokens: number;
  /** How long the server may be silent while something is asked of it. */
  silentMs: number;
}

/** The session failed: it could not be opened, broke off, or fell silent. The message names no content. */
export class RealtimeFailedError extends Error {
  readonly code = 'realtime_failed';

  constructor(reason: string, options?: { cause?: unknown }) {
    super(`the realtime model failed: ${reason}`, options);
    this.name = 'RealtimeFailedError';
  }
}

/** What one answer of the model brings, in its order. */
export type RealtimePart =
  | { kind: 'item'; item: SpokenItem }
  | { kind: 'text'; text: string }
  | { kind: 'tool_calls'; calls: ToolCall[] };

/** One conversation with a model that hears and speaks. */
export interface RealtimeSession {
  /** Gives what was said to the model; resolves with its words, or null if they were not written down in time. */
  hear(samples: Int16Array, signal: AbortSignal): Promise<string | null>;
  /** Something that happened, in words. */
  tell(text: string): Promise<void>;
  answerTool(callId: string, output: string): Promise<void>;
  /** @param ask what is wanted beyond an answer to what was said */
  respond(signal: AbortSignal, ask?: object): AsyncGenerator<RealtimePart, void, void>;
  /** What the person did not hear is no part of the conversation. */
  truncate(itemId: string, heardMs: number): void;
  close(): void;
}

const openMs = 5_000;
/** The model has heard it already: its answer waits no longer for words that are for the record. */
const writtenMs = 2_500;
const longestAnswerMs = 120_000;
/** For the end of an answer that was given up. */
const settleMs = 1_000;
const longestMessage = 4_194_304;
const callsAtMost = 8;
/** A second of sound in a message. */
const chunkBytes = 8_000;
/** A server that does not read. */
const unsentBytes = 4_194_304;

interface Answering {
  eventId: string;
  responseId: string | null;
  parts: RealtimePart[];
  items: Map<string, SpokenItemWriter>;
  calls: ToolCall[];
  over: { failure: Error | null } | null;
  changed: PromiseWithResolvers<void>;
  timers: NodeJS.Timeout[];
}

/** An answer that was given up; the server takes no other until it has ended it. */
interface GivenUp {
  responseId: string | null;
  ended: PromiseWithResolvers<void>;
}

/**
 * @param tell what becomes of the server, once each. A session that we close has not failed, and neither has a server that refuses to open one
 * as the agent wants it: it may have no such model or voice
 */
export function openRealtimeSession(
  settings: RealtimeSettings,
  tell: { ready: () => void; failed: (reason: ModelFailure) => void },
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
  // Who asks for something hears of it.
  ready.promise.catch(() => undefined);
  const late = setTimeout(() => fail(new RealtimeFailedError('it was not ready in time')), openMs);
  /** Commits in their order, and then by their items, until they are written down. */
  const committing: Array<PromiseWithResolvers<string | null>> = [];
  const reading = new Map<string, PromiseWithResolvers<string | null>>();
  let answering: Answering | null = null;
  let givenUp: GivenUp | null = null;
  let before: Promise<void> = Promise.resolve();
  let failure: Error | null = null;
  let isReady = false;

  /** @param reason null if the server is not at fault */
  function fail(error: Error, reason: ModelFailure | null = 'unreachable'): void {
    if (failure !== null) return;
    failure = error;
    if (reason !== null) tell.failed(reason);
    clearTimeout(late);
    ready.reject(error);
    for (const one of [...committing.splice(0), ...reading.values()]) one.reject(error);
    reading.clear();
    finish(error);
    socket.terminate();
  }

  function finish(error: Error | null): void {
    const ended = answering;
    if (ended === null) return;
    answering = null;
    for (const timer of ended.timers) clearTimeout(timer);
    for (const item of ended.items.values()) item.end(error ?? undefined);
    const { calls } = ended;
    if (error === null && calls.length > 0) ended.parts.push({ kind: 'tool_calls', calls });
    ended.over = { failure: error };
    ended.changed.resolve();
  }

  function send(event: object): void {
    if (failure !== null) throw failure;
    if (socket.bufferedAmount > unsentBytes) fail(new RealtimeFailedError('it does not read'));
    if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(event));
  }

  function push(part: RealtimePart): void {
    answering?.parts.push(part);
    answering?.changed.resolve();
  }

  function itemOf(id: string): SpokenItemWriter | null {
    if (answering === null) return null;
    const known = answering.items.get(id);
    if (known) return known;
    const item = spokenItem(id);
    answering.items.set(id, item);
    return item;
  }

  function take(event: RealtimeEvent): void {
    switch (event.type) {
      case 'session.created':
        return send({ type: 'session.update', session: sessionOf(settings) });
      case 'session.updated':
        clearTimeout(late);
        isReady = true;
        tell.ready();
        return ready.resolve();
      case 'error': {
        const { code, type, event_id: eventId } = event.error;
        const refused = new RealtimeFailedError(`it refused: ${code ?? type ?? 'no reason'}`);
        if (!isReady) fail(refused, type === 'server_error' ? 'unreachable' : null);
        else if (answering !== null && eventId === answering.eventId) finish(refused);
        return;
      }
      case 'input_audio_buffer.committed': {
        const waiting = committing.shift();
        if (waiting) reading.set(event.item_id, waiting);
        return;
      }
      case 'conversation.item.input_audio_transcription.completed':
        reading.get(event.item_id)?.resolve(event.transcript.trim());
        return void reading.delete(event.item_id);
      case 'conversation.item.input_audio_transcription.failed':
        reading.get(event.item_id)?.resolve(null);
        return void reading.delete(event.item_id);
      case 'response.created':
        if (givenUp !== null && givenUp.responseId === null) givenUp.responseId = event.response.id;
        else if (answering !== null) answering.responseId ??= event.response.id;
        return;
      default:
        return takeOfResponse(event);
    }
  }

  /** Late parts of a dropped answer are discarded. */
  function takeOfResponse(
    event: Extract<RealtimeEvent, { response_id: string } | { type: 'response.done' }>,
  ): void {
    const responseId = event.type === 'response.done' ? event.response.id : event.response_id;
    if (event.type === 'response.done' && givenUp?.responseId === responseId) {
      givenUp.ended.resolve();
      givenUp = null;
    }
    if (answering === null || answering.responseId !== responseId) return;
    for (const timer of answering.timers.slice(0, 1)) timer.refresh();
    switch (event.type) {
      case 'response.output_item.added':
        return;
      case 'response.output_audio.delta': {
        const isNew = !answering.items.has(event.item_id);
        const item = itemOf(event.item_id);
        item?.addSound(Buffer.from(event.delta, 'base64'));
        if (isNew && item !== null) push({ kind: 'item', item });
        return;
      }
      case 'response.output_audio.done':
        return answering.items.get(event.item_id)?.end();
      case 'response.output_audio_transcript.delta': {
        const isNew = !answering.items.has(event.item_id);
        const item = itemOf(event.item_id);
        item?.addText(event.delta);
        if (isNew && item !== null) push({ kind: 'item', item });
        return;
      }
      case 'response.output_text.delta':
        return push({ kind: 'text', text: event.delta });
      case 'response.output_item.done': {
        const { type, name, call_id: callId, arguments: given } = event.item;
        if (type !== 'function_call' || name === undefined || callId === undefined) return;
        if (answering.calls.length < callsAtMost) {
          answering.calls.push({ id: callId, name, arguments: given ?? '' });
        }
        return;
      }
      case 'response.done': {
        const status = event.response.status ?? 'completed';
        // Cut at the longest answer is cut all the same; it is what the model said.
        const isWhole = status === 'completed' || status === 'incomplete' || status === 'cancelled';
        return finish(isWhole ? null : new RealtimeFailedError(`its answer ended as ${status}`));
      }
    }
  }

  socket.on('message', (data, isBinary) => {
    if (isBinary || !Buffer.isBuffer(data)) return;
    const event = readRealtimeEvent(parsedJson(data.toString('utf8')));
    if (event !== null && failure === null) take(event);
  });
  socket.on('error', (error) => fail(new RealtimeFailedError('it is not reached', { cause: error })));
  socket.on('unexpected-response', (_request, { statusCode = 0 }) => {
    const error = new RealtimeFailedError(`it answered with ${statusCode}`);
    fail(error, isRefusal(statusCode) ? null : `status_${statusCode}`);
  });
  socket.on('close', () => fail(new RealtimeFailedError('it broke off'), 'broke_off'));

  /** The rest of it is not needed. */
  function giveUp(current: Answering): void {
    if (answering !== current) return;
    givenUp = { responseId: current.responseId, ended: Promise.withResolvers() };
    finish(null);
    if (failure === null) send({ type: 'response.cancel' });
  }

  async function* stream(current: Answering, signal: AbortSignal): AsyncGenerator<RealtimePart, void, void> {
    const stop = () => giveUp(current);
    signal.addEventListener('abort', stop, { once: true });
    try {
      while (!signal.aborted) {
        const part = current.parts.shift();
        if (part !== undefined) {
          yield part;
          continue;
        }
        if (current.over !== null) {
          if (current.over.failure !== null) throw current.over.failure;
          return;
        }
        await current.changed.promise;
        current.changed = Promise.withResolvers<void>();
      }
    } finally {
      signal.removeEventListener('abort', stop);
      giveUp(current);
    }
  }

  async function settled(): Promise<void> {
    if (givenUp === null) return;
    await Promise.race([givenUp.ended.promise, setTimeoutAsync(settleMs, undefined, { ref: false })]);
    givenUp = null;
  }

  function begin(ask: object): Answering {
    const current: Answering = {
      eventId: `outdial_${randomUUID()}`,
      responseId: null,
      parts: [],
      items: new Map(),
      calls: [],
      over: null,
      changed: Promise.withResolvers<void>(),
      // The first is for silence, and restarts with every event.
      timers: [
        setTimeout(
          () => fail(new RealtimeFailedError('it fell silent'), 'silent_too_long'),
          settings.silentMs,
        ),
        setTimeout(
          () => fail(new RealtimeFailedError('its answer does not end'), 'too_long'),
          longestAnswerMs,
        ),
      ],
    };
    answering = current;
    send({ type: 'response.create', event_id: current.eventId, response: ask });
    return current;
  }

  return {
    async hear(samples, signal) {
      await ready.promise;
      const bytes = Buffer.from(toMuLaw(samples));
      for (let at = 0; at < bytes.length; at += chunkBytes) {
        const audio = bytes.subarray(at, at + chunkBytes).toString('base64');
        send({ type: 'input_audio_buffer.append', audio });
      }
      const written = Promise.withResolvers<string | null>();
      written.promise.catch(() => undefined);
      committing.push(written);
      send({ type: 'input_audio_buffer.commit' });
      const noWords = setTimeout(() => written.resolve(null), writtenMs);
      const stop = () => written.resolve(null);
      signal.addEventListener('abort', stop, { once: true });
      return written.promise.finally(() => {
        clearTimeout(noWords);
        signal.removeEventListener('abort', stop);
      });
    },
    async tell(text) {
      await ready.promise;
      send({
        type: 'conversation.item.create',
        item: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
      });
    },
    async answerTool(callId, output) {
      await ready.promise;
      send({
        type: 'conversation.item.create',
        item: { type: 'function_call_output', call_id: callId, output },
      });
    },
    async *respond(signal, ask = {}) {
      await ready.promise;
      // A server gives one answer at a time.
      const turn = Promise.withResolvers<void>();
      const waits = before;
      before = turn.promise;
      await waits;
      try {
        await settled();
        if (!signal.aborted) yield* stream(begin(ask), signal);
      } finally {
        turn.resolve();
      }
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

/** The person's turns are told by the rules of all modes, so the server is to tell none; sound goes both ways as a line has it. */
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
