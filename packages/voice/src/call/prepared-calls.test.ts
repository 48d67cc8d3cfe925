import type { VoiceCall } from '@outdial/db';
import { expect, test } from 'vitest';
import type { Conversation } from '../conversation/conversation.ts';
import type { OpenedConversation } from '../conversation/conversation-call.ts';
import { createPreparedCalls } from './prepared-calls.ts';

const agentVoice = { tts: {} };

function callsThatRing(greeting: string | null = 'Hello Ada.') {
  const reserved = new Map<string, { callId: string; organizationId: string; rings: boolean }>();
  const opened: string[] = [];
  const spoken: string[] = [];
  let dropped = 0;
  let greeted = 0;
  const calls = createPreparedCalls({
    listReserved: () => Promise.resolve([...reserved.values()]),
    find: ({ callId }) => Promise.resolve({ id: callId } as VoiceCall),
    open(call) {
      opened.push(call.id);
      const conversation = {
        greeting: () => {
          greeted += 1;
          return Promise.resolve(greeting);
        },
      } as Conversation;
      return Promise.resolve({
        kind: 'open',
        conversation,
        realtime: null,
        voice: agentVoice,
      } as OpenedConversation);
    },
    async *speak(_, text, signal) {
      spoken.push(text);
      signal.addEventListener('abort', () => (dropped += 1));
      yield Int16Array.of(1);
      await new Promise(() => undefined);
    },
    log: { warn: () => undefined },
  });
  return {
    calls,
    opened,
    spoken,
    dropped: () => dropped,
    greeted: () => greeted,
    ring: (callId: string, rings = true) => void reserved.set(callId, { callId, organizationId: 'o', rings }),
    end: (callId: string) => void reserved.delete(callId),
  };
}

test('opens the conversation and speaks the greeting of a call that rings, once', async () => {
  const { calls, ring, opened, spoken, greeted } = callsThatRing();
  ring('a');
  expect(await calls.poll()).toBe(1);
  expect(await calls.poll()).toBe(0);
  const prepared = await calls.take('a');
  expect(await prepared?.opened.conversation.greeting()).toBe('Hello Ada.');
  const never = new AbortController().signal;
  expect((await prepared?.greeting?.play('Hello Ada.', never)?.next())?.value).toEqual(Int16Array.of(1));
  expect(prepared?.greeting?.play('Hello Bob.', never)).toBeNull();
  expect([opened, spoken, greeted()]).toEqual([['a'], ['Hello Ada.'], 1]);
});

test('does not prepare a call again that was taken, even if its answer is not recorded yet', async () => {
  const { calls, ring, opened } = callsThatRing();
  ring('a');
  await calls.poll();
  await calls.take('a');
  expect(await calls.poll()).toBe(0);
  expect(await calls.take('a')).toBeNull();
  expect(opened).toEqual(['a']);
});

test('drops the greeting of a call that was not answered', async () => {
  const { calls, ring, end, dropped } = callsThatRing();
  ring('a');
  await calls.poll();
  await Promise.resolve();
  end('a');
  await calls.poll();
  await expect.poll(dropped).toBe(1);
  expect(await calls.take('a')).toBeNull();
});

test('keeps a prepared call that was just answered, and prepares no call that no longer rings', async () => {
  const { calls, ring } = callsThatRing();
  ring('a');
  await calls.poll();
  ring('a', false);
  ring('b', false);
  await calls.poll();
  expect(await calls.take('a')).not.toBeNull();
  expect(await calls.take('b')).toBeNull();
});

test('does not render a very long greeting, to bound memory', async () => {
  const { calls, ring, spoken } = callsThatRing('word '.repeat(200));
  ring('a');
  await calls.poll();
  expect((await calls.take('a'))?.greeting).toBeNull();
  expect(spoken).toEqual([]);
});
