import type { AgentVoice } from '@outdial/contracts';
import { trace } from '@opentelemetry/api';
import {
  chatEndpoint,
  type ChatRequest,
  type LanguageModel,
  withFallbacks,
} from '../language-model/index.ts';
import { endpointsOf } from '../models/endpoints.ts';
import { spannedSteps } from '../spans.ts';
import type { CallNote } from '../tools/tool.ts';
import type { ConversationDeps } from './conversation-call.ts';

/** The language model of an agent, with its fallbacks. */
export function modelOf(
  deps: Pick<ConversationDeps, 'endpoints' | 'connections' | 'dialects' | 'onFigures' | 'onModelFailure'>,
  { llm }: Pick<AgentVoice, 'llm'>,
  note: (note: CallNote) => void,
): LanguageModel {
  const endpoints = endpointsOf(deps.endpoints, llm).map((endpoint) => {
    const chat = chatEndpoint({
      endpoint,
      settings: { temperature: llm.temperature ?? null, silentMs: llm.timeout_ms },
      connections: deps.connections,
      dialects: deps.dialects,
      onFigures(figures) {
        trace.getActiveSpan()?.setAttributes({
          'gen_ai.usage.input_tokens': figures.promptTokens ?? undefined,
          'gen_ai.usage.output_tokens': figures.answerTokens ?? undefined,
        });
        deps.onFigures?.(figures);
      },
    });
    const attributes = {
      'gen_ai.operation.name': 'chat',
      'outdial.endpoint': endpoint.name,
      ...(endpoint.model !== null && { 'gen_ai.request.model': endpoint.model }),
      ...(llm.temperature !== undefined && { 'gen_ai.request.temperature': llm.temperature }),
      'gen_ai.request.max_tokens': llm.max_tokens,
    };
    const name = `chat ${endpoint.model ?? endpoint.name}`;
    return {
      name: endpoint.name,
      answer: (request: ChatRequest, signal: AbortSignal) =>
        spannedSteps(name, attributes, () => chat.answer(request, signal)),
    };
  });
  return withFallbacks(endpoints, {
    nowMs: () => performance.now(),
    onFailure(failure) {
      note({ type: 'endpoint_failed', endpoint: failure.endpoint, reason: failure.reason });
      deps.onModelFailure?.(failure);
    },
  });
}
