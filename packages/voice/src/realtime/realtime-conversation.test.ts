import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../tools/tool.ts';
import type { RealtimePart } from './model-answer.ts';
import { realtimeParts } from './parts.fixture.ts';
import { createRealtimeConversation } from './realtime-conversation.ts';
import type { RealtimeSession } from './realtime-session.ts';

/** A session that gives these parts as its first answer. `asked` has what it was told. */
function sessionWith(parts: readonly RealtimePart[]) {
  const asked: string[] = [];
  const left = [...parts];
  const session: RealtimeSession = {
    sendSpeech: () => Promise.resolve(null),
    sendText: (text) => Promise.resolve(void asked.push(`told: ${text}`)),
    sendToolResult: (_, text) => Promise.resolve(void asked.push(`result: ${text}`)),
    async *respond() {
      asked.push('answers');
      yield* left.splice(0);
    },
    truncate: () => undefined,
    left: () => undefined,
    close: () => undefined,
  };
  return { session, asked };
}

test('a realtime model gets the result of a transfer, which it cannot hear', async () => {
  const { session, asked } = sessionWith([{ kind: 'text', text: 'Not spoken.' }]);
  const conversation = createRealtimeConversation(realtimeParts(), () => session);
  for await (const step of conversation.replyToEvent('[The line is busy.]', new AbortController().signal)) {
    asked.push(step.kind);
  }
  expect(asked).toEqual(['told: [The line is busy.]', 'answers']);
});

test('a realtime model books nothing for half a sentence: the tool waits, and the person goes on', async () => {
  const calls = [{ id: '1', name: 'book', arguments: '{}' }];
  const { session, asked } = sessionWith([{ kind: 'tool_calls', calls }]);
  const person = new AbortController();
  const book = defineTool({
    name: 'book',
    description: 'Books a table.',
    input: z.object({}),
    runsToEnd: true,
    async run() {
      asked.push('booked');
      return { text: 'Booked.' };
    },
  });
  const pause = async () => person.abort();
  const conversation = createRealtimeConversation(
    { ...realtimeParts(), tools: [book], pause },
    () => session,
  );
  for await (const step of conversation.reply('A table for four', person.signal)) asked.push(step.kind);
  expect(asked).toEqual(['answers', 'working', 'result: The tool was not run.']);
});
