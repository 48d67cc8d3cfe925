import { setTimeout as delay } from 'node:timers/promises';
import { type AnswerEvent, ModelAnswer, type RealtimePart } from './model-answer.ts';
import type { RealtimeEvent } from './realtime-events.ts';
import { RealtimeFailedError } from './realtime-failed-error.ts';

/** How long a canceled answer may take to end. */
const cancelMs = 1_000;

/** An answer that we canceled. The server accepts no other request until it has ended this one. */
interface CanceledAnswer {
  responseId: string | null;
  ended: PromiseWithResolvers<void>;
}

/**
 * Requests answers one at a time, and cancels those that are no longer wanted.
 * @param server `send` throws if the session has failed
 */
export function createAnswerRequests(server: {
  send: (event: object) => void;
  hasFailed: () => boolean;
  silentMs: number;
  onLate: (reason: 'silent_too_long' | 'too_long') => void;
}) {
  let current: ModelAnswer | null = null;
  let canceled: CanceledAnswer | null = null;
  let lastRequest: Promise<void> = Promise.resolve();

  function finish(error: Error | null): void {
    const ended = current;
    current = null;
    ended?.end(error);
  }

  function begin(options: object): ModelAnswer {
    const answer = new ModelAnswer(server.silentMs, {
      silent: () => server.onLate('silent_too_long'),
      tooLong: () => server.onLate('too_long'),
    });
    current = answer;
    server.send({ type: 'response.create', event_id: answer.eventId, response: options });
    return answer;
  }

  function cancel(answer: ModelAnswer): void {
    if (current !== answer) return;
    canceled = { responseId: answer.responseId, ended: Promise.withResolvers() };
    finish(null);
    if (!server.hasFailed()) server.send({ type: 'response.cancel' });
  }

  async function* stream(answer: ModelAnswer, signal: AbortSignal): AsyncGenerator<RealtimePart, void, void> {
    const stop = () => cancel(answer);
    signal.addEventListener('abort', stop, { once: true });
    try {
      yield* answer.parts(signal);
    } finally {
      signal.removeEventListener('abort', stop);
      cancel(answer);
    }
  }

  async function untilCanceled(): Promise<void> {
    if (canceled === null) return;
    await Promise.race([canceled.ended.promise, delay(cancelMs, undefined, { ref: false })]);
    canceled = null;
  }

  return {
    /** Ends the current answer. */
    fail: (error: Error) => finish(error),
    /** The server refused the request with this id. */
    refused(eventId: string | null | undefined, error: Error) {
      if (current !== null && eventId === current.eventId) finish(error);
    },
    created(responseId: string) {
      if (canceled !== null && canceled.responseId === null) canceled.responseId = responseId;
      else if (current !== null) current.responseId ??= responseId;
    },
    /** Adds to the current answer. Discards late parts of a canceled one. */
    take(event: AnswerEvent | Extract<RealtimeEvent, { type: 'response.done' }>) {
      const responseId = event.type === 'response.done' ? event.response.id : event.response_id;
      if (event.type === 'response.done' && canceled?.responseId === responseId) {
        canceled.ended.resolve();
        canceled = null;
      }
      if (current === null || current.responseId !== responseId) return;
      current.refresh();
      if (event.type !== 'response.done') return current.take(event);
      const status = event.response.status ?? 'completed';
      // An incomplete answer, such as one cut off at `max_output_tokens`, was still spoken.
      const isWhole = status === 'completed' || status === 'incomplete' || status === 'cancelled';
      finish(isWhole ? null : new RealtimeFailedError(`its answer ended as ${status}`));
    },
    async *respond(signal: AbortSignal, options: object): AsyncGenerator<RealtimePart, void, void> {
      const request = Promise.withResolvers<void>();
      const previous = lastRequest;
      lastRequest = request.promise;
      await previous;
      try {
        await untilCanceled();
        if (!signal.aborted) yield* stream(begin(options), signal);
      } finally {
        request.resolve();
      }
    },
  };
}
