import type { ChatEndpoint } from './chat-endpoint.ts';
import { type ChatMessage, type LanguageModel, ModelFailedError } from './language-model.ts';

/** An endpoint that failed is asked again after this long, or when all others have failed too. */
const restMs = 30_000;

/**
 * The endpoints of an agent in their order. Where one fails the next one goes on: with what had been written so far before it, so that
 * the person hears one answer.
 * @param onFailure is told of each failure
 * @param nowMs a clock that never goes back
 */
export function withFallbacks(
  endpoints: readonly ChatEndpoint[],
  options: { onFailure?: (failure: ModelFailedError) => void; nowMs: () => number },
): LanguageModel {
  const restsUntil = new Map<string, number>();
  const inOrder = () => {
    const now = options.nowMs();
    const rests = (endpoint: ChatEndpoint) => (restsUntil.get(endpoint.name) ?? 0) > now;
    return [
      ...endpoints.filter((endpoint) => !rests(endpoint)),
      ...endpoints.filter((endpoint) => rests(endpoint)),
    ];
  };

  return {
    async *answer(request, signal) {
      let written = '';
      let failure: ModelFailedError | null = null;
      for (const endpoint of inOrder()) {
        try {
          const messages = [...request.messages, ...begun(written)];
          for await (const part of endpoint.answer({ ...request, messages }, signal)) {
            if (part.kind === 'text') written += part.text;
            yield part;
          }
          return;
        } catch (error) {
          if (!(error instanceof ModelFailedError)) throw error;
          failure = error;
          restsUntil.set(endpoint.name, options.nowMs() + restMs);
          options.onFailure?.(error);
          // JSON that another model goes on with is none.
          if (written !== '' && request.answerSchema !== undefined) throw error;
        }
      }
      if (failure !== null) throw failure;
    },
  };
}

function begun(written: string): ChatMessage[] {
  if (written.trim() === '') return [];
  return [
    { role: 'assistant', content: written },
    { role: 'system', content: 'Your answer broke off there. Go on with the next word; repeat nothing.' },
  ];
}
