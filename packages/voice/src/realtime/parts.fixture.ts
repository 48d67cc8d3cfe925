import { readAgentVoice } from '@outdial/contracts';
import type { ConversationParts } from '../conversation/create-conversation.ts';

/** The parts of a conversation of a realtime agent. */
export function realtimeParts(
  llm: { endpoint: string; model?: string; fallbacks?: string[] } = { endpoint: 'one' },
): Omit<ConversationParts, 'model'> {
  const read = readAgentVoice({ voice: { mode: 'realtime', llm } }, null);
  if (read.kind !== 'voice') throw new Error('the voice is not right');
  return {
    agent: { prompt: 'You are Ada.', mitigation: '', harmfulIntents: [] },
    voice: read.voice,
    promptParams: {},
    tools: [],
    note: () => undefined,
    onFault: () => undefined,
  };
}
