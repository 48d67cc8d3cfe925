import { expect, test } from 'vitest';
import { untilAborted } from './until-aborted.ts';

const whole = async (stream: AsyncIterable<Uint8Array>) => Buffer.concat(await Array.fromAsync(stream));
const bytes = (text: string) => new Uint8Array(Buffer.from(text));

test('a silent stream is abandoned when it is aborted', async () => {
  async function* silent() {
    yield bytes('begun');
    await new Promise(() => undefined);
  }
  const giveUp = new AbortController();
  const read = whole(untilAborted(giveUp.signal, silent()));
  giveUp.abort(new Error('given up'));
  await expect(read).rejects.toThrow('given up');
  await expect(whole(untilAborted(giveUp.signal, silent()))).rejects.toThrow('given up');
});

test('a stream that is left halfway is closed', async () => {
  const { promise: closed, resolve: close } = Promise.withResolvers<void>();
  async function* long() {
    try {
      for (;;) yield bytes('more');
    } finally {
      close();
    }
  }
  const giveUp = new AbortController();
  const reading = (async () => {
    for await (const piece of untilAborted(giveUp.signal, long())) {
      expect(piece).toEqual(bytes('more'));
      giveUp.abort(new Error('enough'));
    }
  })();
  await expect(reading).rejects.toThrow('enough');
  await closed;
});

test('a stream without an abort arrives whole', async () => {
  async function* pieces() {
    yield bytes('one ');
    yield bytes('two');
  }
  expect(String(await whole(untilAborted(new AbortController().signal, pieces())))).toBe('one two');
});
