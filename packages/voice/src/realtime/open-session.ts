import type { AgentVoice } from '@outdial/contracts';
import type { ConversationDeps } from '../conversation/conversation-call.ts';
import type { ConversationParts } from '../conversation/create-conversation.ts';
import { systemMessage } from '../conversation/system-message.ts';
import { ModelFailedError } from '../language-model/index.ts';
import { endpointsOf } from '../models/endpoints.ts';
import { openRealtimeSession, type RealtimeSession } from './realtime-session.ts';

/** OpenAI's default. Other servers may need another model in `stt.model`. */
const transcriptionModel = 'gpt-4o-mini-transcribe';

type SessionDeps = Pick<ConversationDeps, 'endpoints' | 'isDown' | 'onFigures' | 'onModelFailure'>;

/** Connects to the agent's first endpoint that is not down. If the session fails during the call, the call ends, because the server holds the conversation. */
export function openSession(deps: SessionDeps, parts: Omit<ConversationParts, 'model'>): RealtimeSession {
  const { voice, tools } = parts;
  const endpoint = choose(deps, voice);
  const beganAt = performance.now();
  return openRealtimeSession(
    {
      url: endpoint.url,
      key: endpoint.key,
      model: endpoint.model,
      instructions: systemMessage(parts),
      voice: voice.tts.voice ?? null,
      speed: voice.tts.speed ?? null,
      transcriptionModel: voice.stt.model ?? transcriptionModel,
      language: voice.language,
      tools: tools.map(({ declaration }) => declaration),
      maxTokens: voice.llm.max_tokens,
      silentMs: voice.llm.timeout_ms,
    },
    {
      ready() {
        const ms = performance.now() - beganAt;
        const tokens = { promptTokens: null, answerTokens: null };
        deps.onFigures?.({ endpoint: endpoint.name, firstPartMs: ms, totalMs: ms, ...tokens });
      },
      failed: (reason) =>
        deps.onModelFailure?.(
          new ModelFailedError(endpoint.name, reason, { silentMs: voice.llm.timeout_ms }),
        ),
    },
  );
}

function choose({ endpoints, isDown = () => false }: SessionDeps, { llm }: AgentVoice) {
  const known = endpointsOf(endpoints, llm);
  const chosen = known.find(({ name }) => !isDown(name)) ?? known[0];
  if (chosen === undefined) throw new ModelFailedError(llm.endpoint, 'unreachable');
  return chosen;
}
