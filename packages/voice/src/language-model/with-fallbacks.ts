import { setTimeout as delay } from 'node:timers/promises';
import type { ChatEndpoint } from './chat-endpoint.ts';
import { ModelFailedError } from '../models/model-failed-error.ts';
import type { ChatMessage, ChatPart, ChatRequest, LanguageModel } from './language-model.ts';

/** How long an endpoint that failed is tried last. */
const cooldownMs = 30_000;
/** The pause before an endpoint is asked once more. Most refusals of a busy server are over by then. */
const retryAfterMs = 100;
/** How long an endpoint may take to begin before the next one is asked as well. The person hears silence. */
const hedgeAfterMs = 1_500;

interface Attempt {
  endpoint: ChatEndpoint;
  parts: AsyncIterator<ChatPart>;
  /** The first part, or why there is none. */
  first: Promise<First>;
  isRetry: boolean;
  stop(): void;
}

type First = { attempt: Attempt } & (
  | { kind: 'part'; part: ChatPart }
  | { kind: 'nothing' }
  | { kind: 'failed'; error: unknown }
);

/**
 * Asks the endpoints of an agent in order. An endpoint that fails or says nothing is asked once more, and then the next one. If one does not begin in time, the
 * next one is asked as well, and the first to begin answers. If one fails in the middle of an answer, the next one continues it, so that the person hears one
 * answer.
 * @param options `nowMs`: a monotonic clock. `pause` resolves after a time, or when its signal aborts
 */
export function withFallbacks(
  endpoints: readonly ChatEndpoint[],
  options: {
    onFailure?: (failure: ModelFailedError) => void;
    nowMs: () => number;
    pause?: (ms: number, signal: AbortSignal) => Promise<void>;
  },
): LanguageModel {
  const { pause = sleep } = options;
  const coolsUntil = new Map<string, number>();
  const inOrder = () => {
    const now = options.nowMs();
    const cools = ({ name }: ChatEndpoint) => (coolsUntil.get(name) ?? 0) > now;
    return [...endpoints.filter((endpoint) => !cools(endpoint)), ...endpoints.filter(cools)];
  };
  const cool = ({ name }: ChatEndpoint) => coolsUntil.set(name, options.nowMs() + cooldownMs);

  function noteFailure(endpoint: ChatEndpoint, failure: ModelFailedError): void {
    cool(endpoint);
    options.onFailure?.(failure);
  }

  function attempt(
    endpoint: ChatEndpoint,
    request: ChatRequest,
    signal: AbortSignal,
    { isRetry }: { isRetry: boolean },
  ): Attempt {
    const stopped = new AbortController();
    const both = AbortSignal.any([signal, stopped.signal]);
    async function* parts(): AsyncGenerator<ChatPart> {
      if (isRetry) await pause(retryAfterMs, both);
      if (!both.aborted) yield* endpoint.answer(request, both);
    }
    const all = parts();
    const own: Attempt = {
      endpoint,
      parts: all,
      isRetry,
      stop: () => stopped.abort(),
      first: all.next().then(
        ({ done, value }): First =>
          done === true ? { kind: 'nothing', attempt: own } : { kind: 'part', part: value, attempt: own },
        (error: unknown): First => ({ kind: 'failed', error, attempt: own }),
      ),
    };
    return own;
  }

  /**
   * The first endpoint that begins to answer. Takes endpoints from the front of `left`. Null if all that answered said nothing.
   * @throws ModelFailedError if none answered
   */
  async function begin(
    request: ChatRequest,
    left: ChatEndpoint[],
    signal: AbortSignal,
  ): Promise<(First & { kind: 'part' }) | null> {
    const running = new Set<Attempt>();
    let failure: ModelFailedError | null = null;
    let isAnswered = false;
    const ask = (endpoint: ChatEndpoint | undefined, isRetry = false) => {
      if (endpoint !== undefined) running.add(attempt(endpoint, request, signal, { isRetry }));
    };
    ask(left.shift());
    while (running.size > 0) {
      const waited = new AbortController();
      const isLate = pause(hedgeAfterMs, AbortSignal.any([waited.signal, signal])).then(() => null);
      const mayHedge = left.length > 0 && running.size === 1;
      const first = await Promise.race([
        ...[...running].map((each) => each.first),
        ...(mayHedge ? [isLate] : []),
      ]);
      waited.abort();
      if (signal.aborted) return null;
      if (first === null) {
        for (const { endpoint } of running) cool(endpoint);
        ask(left.shift());
        continue;
      }
      running.delete(first.attempt);
      if (first.kind === 'part') {
        for (const other of running) other.stop();
        return first;
      }
      const { endpoint, isRetry } = first.attempt;
      if (first.kind === 'nothing') {
        // After a tool, there may be nothing to say.
        isAnswered = true;
        if (request.messages.at(-1)?.role === 'tool') return null;
      } else {
        const { error } = first;
        if (!(error instanceof ModelFailedError)) throw error;
        if (!isRetry || failure === null) failure = error;
      }
      if (!isRetry && isWorthRetry(first)) {
        ask(endpoint, true);
        continue;
      }
      if (first.kind === 'failed' && failure !== null) noteFailure(endpoint, failure);
      if (running.size === 0) ask(left.shift());
    }
    if (failure !== null && !isAnswered) throw failure;
    return null;
  }

  return {
    async *answer(request, signal) {
      const left = inOrder();
      let written = '';
      for (;;) {
        const messages = [...request.messages, ...continuing(written)];
        const first = await begin({ ...request, messages }, left, signal);
        if (first === null) return;
        const { endpoint, parts } = first.attempt;
        try {
          for (let part: ChatPart | null = first.part; part !== null;) {
            if (part.kind === 'text') written += part.text;
            yield part;
            const next: IteratorResult<ChatPart> = await parts.next();
            part = next.done === true ? null : next.value;
          }
          return;
        } catch (error) {
          if (!(error instanceof ModelFailedError)) throw error;
          noteFailure(endpoint, error);
          // Another model cannot continue JSON.
          if (left.length === 0 || (written !== '' && request.answerSchema !== undefined)) throw error;
        }
      }
    },
  };
}

/** Silence has already taken the time that there was, and no refusal of a request changes. */
function isWorthRetry(first: First): boolean {
  if (first.kind !== 'failed') return true;
  if (!(first.error instanceof ModelFailedError)) return false;
  const { reason } = first.error;
  const status = Number(/^status_(\d+)$/.exec(reason)?.[1] ?? 0);
  return reason === 'unreachable' || reason === 'broke_off' || status === 429 || status >= 500;
}

const sleep = (ms: number, signal: AbortSignal) => delay(ms, undefined, { signal }).catch(() => undefined);

function continuing(written: string): ChatMessage[] {
  if (written.trim() === '') return [];
  return [
    { role: 'assistant', content: written },
    { role: 'system', content: 'Your answer broke off there. Go on with the next word; repeat nothing.' },
  ];
}
