import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { LongAnswers } from './long-answers.ts';

const never = () => new Promise<never>(() => {});

test('each organization has its own limit of concurrent long answers', async () => {
  const answers = new LongAnswers();
  const read = (organizationId: string, answer: () => Promise<unknown> = never) =>
    answers.within({ organizationId, purpose: 'read' }, answer);
  for (let at = 0; at < 4; at++) void read('a');
  await expect(read('a')).rejects.toMatchObject({ status: 429, headers: { 'Retry-After': '5' } });
  await expect(read('b', async () => 'sent')).resolves.toBe('sent');
  await expect(
    answers.within({ organizationId: 'a', purpose: 'change' }, async () => 'changed'),
  ).resolves.toBe('changed');
  for (const other of ['b', 'c']) for (let at = 0; at < 4; at++) void read(other);
  // Three organizations hold every place, and others still get one each.
  for (const other of ['d', 'e', 'f', 'g', 'h']) void read(other);
  await expect(read('d')).rejects.toMatchObject({ status: 503 });
  await expect(read('i', async () => 'sent')).resolves.toBe('sent');
  void read('i');
  await expect(read('j')).rejects.toMatchObject({ status: 503 });
});

test('at most one fetch per organization and three in total run at once', async () => {
  const answers = new LongAnswers();
  const begun: string[] = [];
  const ends: Array<() => void> = [];
  const fetch = (organizationId: string) =>
    void answers.inTurn(organizationId, () => {
      begun.push(organizationId);
      return new Promise<void>((resolve) => ends.push(resolve));
    });
  ['a', 'a', 'b', 'c', 'd', 'a'].forEach(fetch);
  await setImmediate();
  expect(begun).toEqual(['a', 'b', 'c']);
  ends[0]?.();
  await setImmediate();
  expect(begun).toEqual(['a', 'b', 'c', 'd']);
  ends[1]?.();
  await setImmediate();
  expect(begun).toEqual(['a', 'b', 'c', 'd', 'a']);
});

test('a failed answer releases its slot', async () => {
  const answers = new LongAnswers();
  const fail = () => Promise.reject(new Error('gone'));
  for (let at = 0; at < 20; at++) {
    await expect(answers.within({ organizationId: 'a', purpose: 'read' }, fail)).rejects.toThrow('gone');
    await expect(answers.inTurn('a', fail)).rejects.toThrow('gone');
  }
  await expect(answers.inTurn('a', async () => 1)).resolves.toBe(1);
});

test('organizations share the pace of long answers, and reconnecting does not reset it', async () => {
  let nowMs = 0;
  const waits: number[] = [];
  const answers = new LongAnswers({
    now: () => nowMs,
    wait: async (ms) => {
      waits.push(ms);
    },
  });
  const stays = new AbortController().signal;
  const send = (organizationId: string, meanwhile = async () => {}) =>
    answers.within({ organizationId, purpose: 'read' }, async (pace) => {
      await pace(4 * 1024 * 1024, stays);
      await pace(4 * 1024 * 1024, stays);
      await meanwhile();
    });
  await send('a');
  expect(waits.splice(0)).toEqual([250]);
  await send('a');
  expect(waits.splice(0)).toEqual([500, 750]);
  // Half for each of two: 8 MB a second.
  nowMs = 1_000;
  await send('a', () => send('b'));
  expect(waits.splice(0)).toEqual([250, 500]);
});

test('exports take turns by organization, and rest for as long as they fetched', async () => {
  let nowMs = 0;
  const rests: Array<{ ms: number; end: () => void }> = [];
  const answers = new LongAnswers({
    now: () => nowMs,
    wait: (ms) => new Promise<void>((end) => rests.push({ ms, end })),
  });
  const stays = new AbortController().signal;
  const fetched: string[] = [];
  const fetch = (organizationId: string, takesMs: number) =>
    answers.fetchAndRest(organizationId, stays, async () => {
      fetched.push(organizationId);
      nowMs += takesMs;
    });
  const all = [fetch('a', 30), fetch('a', 10), fetch('a', 10), fetch('b', 60_000)];
  await all[0];
  expect(fetched).toEqual(['a']);
  rests[0]?.end();
  await all[3];
  expect(fetched).toEqual(['a', 'b']);
  rests[1]?.end();
  await all[1];
  rests[2]?.end();
  await all[2];
  expect(rests.map(({ ms }) => ms)).toEqual([30, 2_000, 10, 10]);
});

test('an export whose caller leaves while it waits gives up its turn', async () => {
  const answers = new LongAnswers({ now: () => 0, wait: never });
  const stays = new AbortController().signal;
  const left = new AbortController();
  const holds = Promise.withResolvers<void>();
  void answers.fetchAndRest('a', stays, () => holds.promise);
  const waiting = answers.fetchAndRest('b', left.signal, async () => 'b');
  left.abort(new Error('left'));
  await expect(waiting).rejects.toThrow('left');
  holds.resolve();
  await expect(answers.fetchAndRest('c', stays, async () => 'c')).resolves.toBe('c');
});
