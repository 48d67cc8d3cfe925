import { expect, test } from 'vitest';
import { realtimeParts } from './parts.fixture.ts';
import { createRealtimeConversation } from './realtime-conversation.ts';
import type { RealtimeSession } from './realtime-session.ts';

test('a realtime model gets the result of a transfer, which it cannot hear', async () => {
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
    left: () => undefined,
    close: () => undefined,
  };
  const conversation = createRealtimeConversation(realtimeParts(), () => session);
  for await (const step of conversation.replyToEvent('[The line is busy.]', new AbortController().signal)) {
    asked.push(step.kind);
  }
  expect(asked).toEqual(['told: [The line is busy.]', 'answers']);
});
