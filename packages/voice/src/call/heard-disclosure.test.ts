import { describe, expect, test } from 'vitest';
import { lineRate } from '../audio/mu-law.ts';
import { callWith, steps } from './call.fixture.ts';

const disclosure =
  'This is Ada, an artificial voice, calling for Acme. Say stop to get no more calls from us.';
const greeting = `${disclosure} Your book has come in and waits at the desk. Would you like to keep it for a week?`;
const sentences = greeting.split(/(?<=[.?]) /);
const count = (text: string) => text.split(/\s+/).filter((word) => word !== '').length;
const wordMs = 250;
const samplesOf = (words: number) => new Int16Array(((words * wordMs) / 1_000) * lineRate).fill(3_000);

describe('the record has the words whose sound was heard, and no others', () => {
  const failures = ['refuses', 'breaks off', 'falls silent'] as const;
  const cases = failures.flatMap((how) =>
    sentences.flatMap((_, nth) => [1, 4, 7].map((words) => ({ how, nth, words }))),
  );

  test.each(cases)('a voice $how in sentence $nth, after $words words', async ({ how, nth, words }) => {
    let wordsInSound = 0;
    const call = callWith({
      greeting,
      disclosure,
      async *speak(text) {
        if (text !== sentences[nth]) {
          if (sentences.includes(text)) wordsInSound += count(text);
          yield samplesOf(count(text));
          return;
        }
        if (how !== 'refuses') {
          wordsInSound += words;
          yield samplesOf(words);
        }
        if (how === 'falls silent') for (let turn = 0; turn < 500; turn += 1) await Promise.resolve();
        throw new Error('the voice failed');
      },
    });
    await call.goOn(25_000);
    expect(call.ended()).toBe('endpoint_failed');
    const [said = ''] = call.dialogue();
    const recorded = count(said.replace(/^agent: /, '').replace(/I am sorry\..*/, ''));
    expect(recorded).toBeLessThanOrEqual(wordsInSound);
    // Nothing tells the pace of a voice that has not finished a sentence.
    expect(recorded).toBeGreaterThanOrEqual(wordsInSound - (nth === 0 ? 2 : 1));
    expect(said.startsWith(`agent: ${disclosure}`)).toBe(nth > 1);
    expect(call.undisclosed()).toBe(nth > 1 ? 0 : 1);
  });

  test('also in what the model and the extract get', async () => {
    const call = callWith({
      transcripts: ['How are you?'],
      answer: () =>
        steps({ kind: 'say', text: 'Fine, thank you.' }, { kind: 'say', text: 'And how are you?' }),
      async *speak(text) {
        if (text.startsWith('And')) throw new Error('the voice failed');
        yield samplesOf(count(text));
      },
    });
    await call.speaks(1_000);
    await call.goOn(4_000);
    expect(call.cuts()).toEqual(['Fine, thank you.']);
    expect(call.dialogue()).toEqual(['person: How are you?', 'agent: Fine, thank you. I am sorry.']);
  });
});

describe('a disclosure that was interrupted', () => {
  const answer = () => steps({ kind: 'say', text: 'About your book.' });

  test('is said again before the next answer', async () => {
    const call = callWith({ greeting, disclosure, transcripts: ['What is this about?'], answer });
    await call.goOn(500);
    await call.speaks(2_000);
    await call.goOn(8_000);
    expect(call.dialogue().slice(1)).toEqual([
      'person: What is this about?',
      `agent: ${disclosure} About your book.`,
    ]);
    expect([call.undisclosed(), call.ended()]).toEqual([0, null]);
  });

  test('is said again after keys, and after a silence', async () => {
    for (const isKey of [true, false]) {
      const call = callWith({ greeting, disclosure });
      await call.goOn(500);
      if (isKey) call.call.key('1');
      else await call.speaks(2_000);
      await call.goOn(20_000);
      expect(call.dialogue().find((line) => line.startsWith(`agent: ${disclosure}`))).toBeDefined();
    }
  });

  test('ends the call if the person does not let the agent say it', async () => {
    const call = callWith({ greeting, disclosure, transcripts: ['No.', 'Go away.', 'What?', 'No!'], answer });
    await call.goOn(500);
    for (let nth = 0; nth < 3; nth += 1) {
      await call.speaks(2_000);
      await call.goOn(800);
    }
    expect(call.ended()).toBe('disclosure_not_heard');
    expect(call.undisclosed()).toBe(1);
  });

  test('is not said again once it was heard', async () => {
    const call = callWith({ greeting, disclosure, transcripts: ['What is this about?'], answer });
    await call.goOn(2_900);
    await call.speaks(2_000);
    await call.goOn(3_000);
    expect(call.dialogue().at(-1)).toBe('agent: About your book.');
  });
});
