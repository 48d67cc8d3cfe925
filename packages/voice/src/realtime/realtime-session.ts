import { setTimeout as setTimeoutAsync } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { toMuLaw } from '../audio/mu-law.ts';
import type { ModelFailure } from '../language-model/index.ts';

import { isRefusal } from '../models/refusal.ts';
import { ModelAnswer, type AnswerEvent, type RealtimePart } from './model-answer.ts';
import { readRealtimeEvent, type RealtimeEvent } from './realtime-events.ts';
import { sessionOf, type RealtimeSettings } from './session-settings.ts';
import { Transcriptions } from './transcriptions.ts';

/** The session failed: it could not be opened, broke off, or fell silent. The message names no content. */
export class RealtimeFailedError extends Error {
  readonly code = 'realtime_failed';

  constructor(reason: string, options?: { cause?: unknown }) {
    super(`the realtime model failed: ${reason}`, options);
    this.name = 'RealtimeFailedError';
  }
}

/** One conversation with a model that hears and speaks. */
export interface RealtimeSession {
  /** Gives what was said to the model; resolves with its words, or null if they were not written down in time. */
  sendSpeech(samples: Int16Array, signal: AbortSignal): Promise<string | null>;
  /** Something that happened, in words. */
  sendText(text: string): Promise<void>;
  sendToolResult(callId: string, output: string): Promise<void>;
  /** @param ask what is wanted beyond an answer to what was said */
  respond(signal: AbortSignal, ask?: object): AsyncGenerator<RealtimePart, void, void>;
  /** What the person did not hear is no part of the conversation. */
  truncate(itemId: string, heardMs: number): void;
  close(): void;
}

const openMs = 5_000;
/** For the end of an answer that was given up. */
const settleMs = 1_000;
const longestMessage = 4_194_304;
/** A second of sound in a message. */
const chunkBytes = 8_000;
/** A server that does not read. */
const unsentBytes = 4_194_304;

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
  const words = new Transcriptions();
  let answering: ModelAnswer | null = null;
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
    words.fail(error);
    finish(error);
    socket.terminate();
  }

  function finish(error: Error | null): void {
    const ended = answering;
    if (ended === null) return;
    answering = null;
    ended.end(error);
  }

  function send(event: object): void {
    if (failure !== null) throw failure;
    if (socket.bufferedAmount > unsentBytes) fail(new RealtimeFailedError('it does not read'));
    if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(event));
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
      case 'input_audio_buffer.committed':
        return words.committed(event.item_id);
      case 'conversation.item.input_audio_transcription.completed':
        return words.transcribed(event.item_id, event.transcript.trim());
      case 'conversation.item.input_audio_transcription.failed':
        return words.transcribed(event.item_id, null);
      case 'response.created':
        if (givenUp !== null && givenUp.responseId === null) givenUp.responseId = event.response.id;
        else if (answering !== null) answering.responseId ??= event.response.id;
        return;
      default:
        return takeOfResponse(event);
    }
  }

  /** Late parts of a dropped answer are discarded. */
  function takeOfResponse(event: AnswerEvent | Extract<RealtimeEvent, { type: 'response.done' }>): void {
    const responseId = event.type === 'response.done' ? event.response.id : event.response_id;
    if (event.type === 'response.done' && givenUp?.responseId === responseId) {
      givenUp.ended.resolve();
      givenUp = null;
    }
    if (answering === null || answering.responseId !== responseId) return;
    answering.refresh();
    if (event.type !== 'response.done') return answering.take(event);
    const status = event.response.status ?? 'completed';
    // Cut at the longest answer is cut all the same; it is what the model said.
    const isWhole = status === 'completed' || status === 'incomplete' || status === 'cancelled';
    finish(isWhole ? null : new RealtimeFailedError(`its answer ended as ${status}`));
  }

  socket.on('message', (data, isBinary) => {
    if (isBinary || !Buffer.isBuffer(data)) return;
    const event = readRealtimeEvent(data.toString('utf8'));
    if (event !== null && failure === null) take(event);
  });
  socket.on('error', (error) => fail(new RealtimeFailedError('it is not reached', { cause: error })));
  socket.on('unexpected-response', (_request, { statusCode = 0 }) => {
    const error = new RealtimeFailedError(`it answered with ${statusCode}`);
    fail(error, isRefusal(statusCode) ? null : `status_${statusCode}`);
  });
  socket.on('close', () => fail(new RealtimeFailedError('it broke off'), 'broke_off'));

  /** The rest of it is not needed. */
  function giveUp(current: ModelAnswer): void {
    if (answering !== current) return;
    givenUp = { responseId: current.responseId, ended: Promise.withResolvers() };
    finish(null);
    if (failure === null) send({ type: 'response.cancel' });
  }

  async function* stream(
    current: ModelAnswer,
    signal: AbortSignal,
  ): AsyncGenerator<RealtimePart, void, void> {
    const stop = () => giveUp(current);
    signal.addEventListener('abort', stop, { once: true });
    try {
      yield* current.parts(signal);
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

  function begin(ask: object): ModelAnswer {
    const current = new ModelAnswer(settings.silentMs, {
      silent: () => fail(new RealtimeFailedError('it fell silent'), 'silent_too_long'),
      tooLong: () => fail(new RealtimeFailedError('its answer does not end'), 'too_long'),
    });
    answering = current;
    send({ type: 'response.create', event_id: current.eventId, response: ask });
    return current;
  }

  return {
    async sendSpeech(samples, signal) {
      await ready.promise;
      const bytes = Buffer.from(toMuLaw(samples));
      for (let at = 0; at < bytes.length; at += chunkBytes) {
        const audio = bytes.subarray(at, at + chunkBytes).toString('base64');
        send({ type: 'input_audio_buffer.append', audio });
      }
      send({ type: 'input_audio_buffer.commit' });
      return words.next(signal);
    },
    async sendText(text) {
      await ready.promise;
      send({
        type: 'conversation.item.create',
        item: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
      });
    },
    async sendToolResult(callId, output) {
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
