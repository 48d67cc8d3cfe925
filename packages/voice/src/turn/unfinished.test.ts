import { describe, expect, test } from 'vitest';
import { play, type Spoken, timesOf } from './stage.fixture.ts';
import { isUnfinished } from './words.ts';

describe('may go on', () => {
  test.each([
    ['It was the red one,', ''],
    ['I came home and', ''],
    ['My number is', ''],
    ["I'd like", ''],
    ['Could you', ''],
    ['Please do not.', ''],
    ['Let me see', ''],
    ['well um', ''],
    ['four one five', ''],
    ['My number is 415 555', ''],
    ['415.', 'What is your phone number?'],
    ['Four.', 'Please tell me the digits of the code.'],
    ['S M I', ''],
    ['It is S, M.', 'Could you spell that?'],
    ['john dot', 'What is your email address?'],
    ['fünf sechs', 'Wie ist Ihre Nummer?'],
  ])('%j after %j', (text, asked) => expect(isUnfinished(text, asked)).toBe(true));
});

describe('is finished', () => {
  test.each([
    ['Yes.', ''],
    ['I want to cancel my order.', ''],
    ['For four', 'For how many people?'],
    ['At five.', 'When would you like to come?'],
    ['It came on Monday', ''],
    ['No, thank you', 'Do you need a number?'],
    ['Sí, por favor', '¿Quiere un correo electrónico?'],
    ['Is it 415?', ''],
    ['I have two', ''],
    ['No, I do not.', ''],
  ])('%j after %j', (text, asked) => expect(isUnfinished(text, asked)).toBe(false));
});

describe('with a recognizer that tells words while they are spoken', () => {
  const live = (words: string, more: readonly Spoken[] = []) =>
    play({
      greeting: { text: 'What do you need?', ms: 1_000 },
      person: [{ at: 2_000, forMs: 1_000, words }, ...more],
      isLive: true,
      readMs: 40,
      lastsMs: 8_000,
    });

  test.each(['I want to cancel my order.', 'How long may I keep it?', 'Yes.'])(
    'the reply to a whole sentence begins within 180 ms: %s',
    (words) => {
      const played = live(words);
      expect((timesOf(played, 'prepare')[0] ?? Infinity) - 3_000).toBeLessThanOrEqual(180);
      expect(timesOf(played, 'prepare')).toHaveLength(1);
    },
  );

  test('words without an end are answered after the usual silence', () => {
    const respondedAt = timesOf(live('it came on Monday'), 'respond')[0] ?? 0;
    expect(respondedAt - 3_000).toBeGreaterThanOrEqual(400);
  });

  test.each(['two tickets and', 'my number is four one five'])('no reply is begun to %j', (words) => {
    const played = live(words, [{ at: 3_900, forMs: 1_000, words: 'that is all.' }]);
    const [preparedAt = 0] = timesOf(played, 'prepare');
    expect(preparedAt).toBeGreaterThan(4_900);
    expect(timesOf(played, 'respond')).toHaveLength(1);
  });
});
