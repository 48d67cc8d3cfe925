import type { AgentVoice } from '@outdial/contracts';
import { chatEndpoint, type LanguageModel, withFallbacks } from '../language-model/index.ts';
import { endpointsOf } from '../models/endpoints.ts';
import type { CallNote } from '../tools/tool.ts';
import type { ConversationDeps } from './conversation-call.ts';

/** The language model of an agent, with its fallbacks. */
export function modelOf(
  deps: Pick<ConversationDeps, 'endpoints' | 'connections' | 'dialects' | 'onFigures' | 'onModelFailure'>,
  { llm }: Pick<AgentVoice, 'llm'>,
  note: (note: CallNote) => void,
): LanguageModel {
  const endpoints = endpointsOf(deps.endpoints, llm).map((endpoint) =>
    chatEndpoint({
      endpoint,
      settings: { temperature: llm.temperature ?? null, silentMs: llm.timeout_ms },
      connections: deps.connections,
      dialects: deps.dialects,
      onFigures: deps.onFigures,
    }),
  );
  return withFallbacks(endpoints, {
    nowMs: () => performance.now(),
    onFailure(failure) {
      note({ type: 'endpoint_failed', endpoint: failure.endpoint, reason: failure.reason });
      deps.onModelFailure?.(failure);
    },
  });
}
