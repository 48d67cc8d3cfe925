import { describe, expect, test } from 'vitest';
import { ModelFailedError, type ModelFailure } from '../models/model-failed-error.ts';
import type { ChatPart, ChatRequest } from './language-model.ts';
import { withFallbacks } from './with-fallbacks.ts';

type Reaction = string | { fails: ModelFailure; after?: string } | null | { saysAt: number; text: string };

const request: ChatRequest = { messages: [{ role: 'user', content: 'Hello?' }], tools: [], maxTokens: 100 };

/** Endpoints with a reaction for each request, on a clock that only pauses and slow answers advance. */
function model(reactions: Record<string, Reaction[]>) {
  let now = 0;
  const waiting: Array<{ at: number; resolve: () => void }> = [];
  /** Who was asked, and when. */
  const asked: string[] = [];
  const stopped: string[] = [];
  const failures: string[] = [];
  const until = (at: number, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      waiting.push({ at, resolve });
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  const endpoints = Object.entries(reactions).map(([name, list]) => ({
    name,
    async *answer(_: ChatRequest, signal: AbortSignal): AsyncGenerator<ChatPart> {
      asked.push(`${name} at ${now}`);
      signal.addEventListener('abort', () => stopped.push(name), { once: true });
      const reaction = list.shift() ?? null;
      if (reaction === null) return until(Infinity, signal);
      if (typeof reaction === 'string') {
        if (reaction !== '') yield { kind: 'text', text: reaction };
        return;
      }
      if ('saysAt' in reaction) {
        await until(reaction.saysAt, signal);
        if (!signal.aborted) yield { kind: 'text', text: reaction.text };
        return;
      }
      if (reaction.after !== undefined) yield { kind: 'text', text: reaction.after };
      throw new ModelFailedError(name, reaction.fails);
    },
  }));
  const language = withFallbacks(endpoints, {
    nowMs: () => now,
    onFailure: ({ endpoint, reason }) => failures.push(`${endpoint} ${reason}`),
    pause: (ms, signal) => until(now + ms, signal),
  });
  return {
    asked,
    stopped,
    failures,
    answer: async (messages = request.messages): Promise<string> => {
      let isDone = false;
      const text = (async () => {
        let all = '';
        for await (const part of language.answer({ ...request, messages }, new AbortController().signal)) {
          if (part.kind === 'text') all += part.text;
        }
        return all;
      })().finally(() => (isDone = true));
      text.catch(() => undefined);
      while (!isDone) {
        for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
        const next = Math.min(...waiting.map(({ at }) => at));
        if (isDone || next === Infinity) break;
        now = Math.max(now, next);
        for (const one of waiting.splice(0)) {
          if (one.at <= now) one.resolve();
          else waiting.push(one);
        }
      }
      return text;
    },
  };
}

describe('an endpoint that fails', () => {
  test.each(['status_429', 'status_500', 'status_503', 'unreachable', 'broke_off'] as const)(
    'is asked once more, a tenth of a second later: %s',
    async (fails) => {
      const { answer, asked, failures } = model({ a: [{ fails }, 'Hello.'], b: ['Never.'] });
      expect(await answer()).toBe('Hello.');
      expect([asked, failures]).toEqual([['a at 0', 'a at 100'], []]);
    },
  );

  test('again is replaced by the next one, and reported once', async () => {
    const { answer, asked, failures } = model({
      a: [{ fails: 'status_429' }, { fails: 'status_500' }],
      b: ['Hello.', 'Again.'],
    });
    expect(await answer()).toBe('Hello.');
    expect([asked, failures]).toEqual([['a at 0', 'a at 100', 'b at 100'], ['a status_429']]);
    expect(await answer()).toBe('Again.');
    expect(asked.at(-1)).toMatch(/^b/);
  });

  test.each(['status_400', 'status_401', 'silent_too_long', 'too_long', 'not_understood'] as const)(
    'in a way that will not change is replaced at once: %s',
    async (fails) => {
      const { answer, asked } = model({ a: [{ fails }], b: ['Hello.'] });
      expect(await answer()).toBe('Hello.');
      expect(asked).toEqual(['a at 0', 'b at 0']);
    },
  );

  test('in the middle is continued by the next one', async () => {
    const { answer, asked } = model({ a: [{ after: 'Hel', fails: 'broke_off' }], b: ['lo.'] });
    expect(await answer()).toBe('Hello.');
    expect(asked).toEqual(['a at 0', 'b at 0']);
  });

  test('is an error if all do', async () => {
    const { answer } = model({
      a: [{ fails: 'status_500' }, { fails: 'status_500' }],
      b: [{ fails: 'status_401' }],
    });
    await expect(answer()).rejects.toMatchObject({ endpoint: 'b', reason: 'status_401' });
  });
});

describe('an endpoint that says nothing', () => {
  test('is asked once more, and then the next one', async () => {
    const { answer, asked } = model({ a: ['', ''], b: ['Hello.'] });
    expect(await answer()).toBe('Hello.');
    expect(asked).toEqual(['a at 0', 'a at 100', 'b at 100']);
  });

  test('after a tool has nothing to say', async () => {
    const { answer, asked } = model({ a: [''] });
    expect(await answer([...request.messages, { role: 'tool', toolCallId: 'a', content: 'Done.' }])).toBe('');
    expect(asked).toHaveLength(1);
  });
});

describe('an endpoint that does not begin', () => {
  test('for a second and a half is overtaken by the next one, and asked last for a while', async () => {
    const { answer, asked, stopped } = model({ a: [null, null], b: ['Hello.', 'Again.'] });
    expect(await answer()).toBe('Hello.');
    expect([asked, stopped]).toEqual([['a at 0', 'b at 1500'], ['a']]);
    expect(await answer()).toBe('Again.');
    expect(asked.slice(2)).toEqual(['b at 1500']);
  });

  test('answers if it begins first after all', async () => {
    const { answer, asked } = model({ a: [{ saysAt: 1_700, text: 'Hello.' }], b: [null] });
    expect(await answer()).toBe('Hello.');
    expect(asked).toEqual(['a at 0', 'b at 1500']);
  });

  test('is waited for if there is no other', async () => {
    const { answer, asked } = model({ a: [{ saysAt: 4_000, text: 'Hello.' }] });
    expect(await answer()).toBe('Hello.');
    expect(asked).toEqual(['a at 0']);
  });
});
