import type { ChatEndpoint } from './chat-endpoint.ts';
import { ModelFailedError } from '../models/model-failed-error.ts';
import type { ChatMessage, LanguageModel } from './language-model.ts';

/** How long an endpoint that failed is tried last. */
const cooldownMs = 30_000;

/**
 * Tries the endpoints of an agent in order. If one fails in the middle of an answer, the next one continues it, so that the person hears one answer.
 * @param options `nowMs`: a monotonic clock
 */
export function withFallbacks(
  endpoints: readonly ChatEndpoint[],
  options: { onFailure?: (failure: ModelFailedError) => void; nowMs: () => number },
): LanguageModel {
  const coolsUntil = new Map<string, number>();
  const inOrder = () => {
    const now = options.nowMs();
    const cools = ({ name }: ChatEndpoint) => (coolsUntil.get(name) ?? 0) > now;
    return [...endpoints.filter((endpoint) => !cools(endpoint)), ...endpoints.filter(cools)];
  };

  return {
    async *answer(request, signal) {
      let written = '';
      let failure: ModelFailedError | null = null;
      for (const endpoint of inOrder()) {
        try {
          const messages = [...request.messages, ...continuing(written)];
          for await (const part of endpoint.answer({ ...request, messages }, signal)) {
            if (part.kind === 'text') written += part.text;
            yield part;
          }
          return;
        } catch (error) {
          if (!(error instanceof ModelFailedError)) throw error;
          failure = error;
          coolsUntil.set(endpoint.name, options.nowMs() + cooldownMs);
          options.onFailure?.(error);
          // Another model cannot continue JSON.
          if (written !== '' && request.answerSchema !== undefined) throw error;
        }
      }
      if (failure !== null) throw failure;
    },
  };
}

function continuing(written: string): ChatMessage[] {
  if (written.trim() === '') return [];
  return [
    { role: 'assistant', content: written },
    { role: 'system', content: 'Your answer broke off there. Go on with the next word; repeat nothing.' },
  ];
}
