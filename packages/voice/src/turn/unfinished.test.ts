import { describe, expect, test } from 'vitest';
import { dialogueOf, play, type Spoken, timesOf } from './stage.fixture.ts';
import { isUnfinished } from './words.ts';

describe('may go on', () => {
  test.each([
    ['It was the red one,', ''],
    ['I came home and', ''],
    ['My number is', ''],
    ["I'd like", ''],
    ['Could you', ''],
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
    ['Is it 415?', ''],
    ['I have two', ''],
  ])('%j after %j', (text, asked) => expect(isUnfinished(text, asked)).toBe(false));
});

describe('a turn with pauses', () => {
  const settings = { unfinishedSilenceMs: 1_500 };
  /** Parts of a turn, each a second long. */
  const inParts = (pauseMs: number, words: readonly string[]): Spoken[] =>
    words.map((each, nth) => ({ at: 2_000 + nth * (1_000 + pauseMs), forMs: 1_000, words: each }));

  describe.each([500, 700, 900, 1_100, 1_300])('of %i ms is one turn, and nobody cuts in', (pauseMs) => {
    test.each([
      [
        'a number in groups',
        'What is your number?',
        ['four one five', 'five five five', 'oh one', 'two three'],
      ],
      [
        'a number that a recognizer ends like sentences',
        'What is your number?',
        ['415.', '555.', '01.', '23.'],
      ],
      ['a name that is spelled', 'Could you spell it?', ['S M', 'I T', 'H']],
      ['a sentence with "and"', 'What do you need?', ['two tickets and', 'a place to park']],
      ['a sentence that begins', 'What do you need?', ["I'd like", 'a table for four.']],
    ])('%s', (_, question, words) => {
      const played = play({
        greeting: { text: question, ms: 1_000 },
        person: inParts(pauseMs, words),
        settings,
        lastsMs: 14_000,
      });
      expect(timesOf(played, 'respond')).toHaveLength(1);
      expect(dialogueOf(played)[1]).toBe(`person: ${words.join(' ')}`);
    });
  });

  test('is answered as soon as before, once it is finished', () => {
    const played = play({
      greeting: { text: 'What do you need?', ms: 1_000 },
      person: inParts(0, ['I want to cancel my order.']),
      settings,
      lastsMs: 6_000,
    });
    expect((timesOf(played, 'respond')[0] ?? Infinity) - 3_000).toBeLessThanOrEqual(520);
  });
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
    'a whole sentence is answered within 300 ms, and its reply begins within 180 ms: %s',
    (words) => {
      const played = live(words);
      expect((timesOf(played, 'prepare')[0] ?? Infinity) - 3_000).toBeLessThanOrEqual(180);
      expect((timesOf(played, 'respond')[0] ?? Infinity) - 3_000).toBeLessThanOrEqual(300);
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

  test('a reply that was begun to half of a turn is followed by one to all of it', () => {
    const played = live('I would like a table', [
      { at: 3_300, forMs: 700, words: 'I would like a table for two.' },
    ]);
    const texts = played.flatMap(({ action }) => (action.kind === 'prepare' ? [action.text] : []));
    expect(texts).toEqual(['I would like a table', 'I would like a table for two.']);
    expect(timesOf(played, 'respond')).toHaveLength(1);
  });
});
