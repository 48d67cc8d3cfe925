import { expect, test } from 'vitest';
import { renderPieces, renderSpeech } from './rendered-speech.ts';

const samples = (value: number) => Int16Array.of(value);
const never = new AbortController().signal;

async function heard(speech: AsyncIterable<Int16Array> | Iterable<Int16Array>): Promise<number[]> {
  const values: number[] = [];
  for await (const chunk of speech) values.push(...chunk);
  return values;
}

test('is synthesized once, before it is played, and plays what is ready while the rest is synthesized', async () => {
  const rest = Promise.withResolvers<void>();
  let made = 0;
  const speech = renderSpeech(async function* () {
    made += 1;
    yield samples(1);
    await rest.promise;
    yield samples(2);
  }, 'Hello.');
  const playing = speech.play(never);
  expect((await playing.next()).value).toEqual(samples(1));
  rest.resolve();
  expect(await heard(playing)).toEqual([2]);
  expect(made).toBe(1);
});

test('is synthesized again if the voice failed before', async () => {
  let made = 0;
  const speech = renderSpeech(async function* () {
    made += 1;
    if (made === 1) throw new Error('down');
    yield samples(3);
  }, 'Hello.');
  expect(await heard(speech.play(never))).toEqual([3]);
});

test('does not start over in the middle, because the person would hear it', async () => {
  const speech = renderSpeech(async function* () {
    yield samples(1);
    throw new Error('cut');
  }, 'Hello.');
  const playing = speech.play(never);
  await playing.next();
  await expect(playing.next()).rejects.toThrow('broke off');
});

test('pieces are synthesized one after the other, also after one that failed', async () => {
  const made: string[] = [];
  const speech = renderPieces(
    async function* (text) {
      made.push(text);
      if (text === 'One.' && made.length === 1) throw new Error('down');
      yield samples(text.length);
    },
    ['One.', 'Second.'],
  );
  expect(await heard(speech.play('Second.', never) ?? [])).toEqual([7]);
  expect(await heard(speech.play('One.', never) ?? [])).toEqual([4]);
  expect([made, speech.play('Third.', never)]).toEqual([['One.', 'Second.', 'One.'], null]);
});
