import { readAgentVoice } from '@outdial/contracts';
import { expect, test } from 'vitest';
import { createRealtimeConversation } from './realtime-conversation.ts';
import type { RealtimeSession } from './realtime-session.ts';

test('a realtime model is told the result of a transfer, which it cannot hear', async () => {
  const asked: string[] = [];
  const session: RealtimeSession = {
    sendSpeech: () => Promise.resolve(null),
    sendText: (text) => Promise.resolve(void asked.push(`told: ${text}`)),
    sendToolResult: () => Promise.resolve(),
    async *respond() {
      asked.push('answers');
      yield { kind: 'text', text: 'Not spoken.' };
    },
    truncate: () => undefined,
    close: () => undefined,
  };
  const read = readAgentVoice({ voice: { mode: 'realtime', llm: { endpoint: 'one' } } }, null);
  if (read.kind !== 'voice') throw new Error('the voice is not right');
  const conversation = createRealtimeConversation(
    {
      agent: { prompt: 'You are Ada.', mitigation: '', harmfulIntents: [] },
      voice: read.voice,
      promptParams: {},
      tools: [],
      note: () => undefined,
      onFault: () => undefined,
    },
    () => session,
  );
  for await (const step of conversation.replyToEvent('[The line is busy.]', new AbortController().signal)) {
    asked.push(step.kind);
  }
  expect(asked).toEqual(['told: [The line is busy.]', 'answers']);
});
