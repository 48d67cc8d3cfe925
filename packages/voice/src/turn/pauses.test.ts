import { describe, expect, test } from 'vitest';
import { dialogueOf, play, settings, type Spoken, timesOf } from './stage.fixture.ts';
import { createTurns } from './turns.ts';

/** What the agent asked, and the parts of what the person says. Recognizers end most of them like sentences. */
const turns: ReadonlyArray<readonly [question: string, ...parts: string[]]> = [
  ['What do you need?', 'I would like to cancel', 'my order from last week.'],
  ['What do you need?', 'It was the red one and', 'it came on Monday.'],
  ['What do you need?', "I'd like.", 'A table for four.'],
  ['What is your phone number?', '415.', '555.', '01.', '23.'],
  ['What is your phone number?', 'It is four one five', 'five five five', 'oh one two three.'],
  ['Could you spell your last name?', 'S M.', 'I T.', 'H.'],
  ['What is your address?', 'Twelve Main Street.', 'Springfield.', '62704.'],
  ['Where should we deliver it?', 'To 12 Oak Avenue.', 'In Dover.'],
  ['What is your date of birth?', 'The third of.', 'March.', '1984.'],
  ['Which day suits you?', 'On Tuesday the.', 'Fourteenth.'],
  ['What is your email address?', 'John Smith.', 'At example.', 'Dot com.'],
  ['What is your e-mail?', 'info', 'at my company', 'dot org.'],
];
const pauses = [500, 700, 900, 1_100, 1_300];

/** Parts of a turn, each a second long. */
const inParts = (pauseMs: number, words: readonly string[]): Spoken[] =>
  words.map((each, nth) => ({ at: 2_000 + nth * (1_000 + pauseMs), forMs: 1_000, words: each }));

const askedAndSaid = (question: string, person: readonly Spoken[], isLive: boolean) =>
  play({
    greeting: { text: question, ms: 1_000 },
    person,
    settings: { unfinishedSilenceMs: 1_500, readsAhead: !isLive },
    isLive,
    lastsMs: 16_000,
  });

describe.each([
  ['that is asked once the person pauses', false],
  ['that tells words while they are spoken', true],
])('with a recognizer %s', (_, isLive) => {
  describe.each(pauses)('pauses of %i ms', (pauseMs) => {
    test.each(turns)('to %j: nobody cuts in, and it is one turn: %j', (question, ...parts) => {
      const person = inParts(pauseMs, parts);
      const played = askedAndSaid(question, person, isLive);
      const last = person.at(-1);
      const [respondedAt = 0] = timesOf(played, 'respond');
      expect(respondedAt).toBeGreaterThanOrEqual((last?.at ?? 0) + (last?.forMs ?? 0));
      expect(dialogueOf(played)[1]).toBe(`person: ${parts.join(' ')}`);
    });
  });

  test.each([
    ['What do you need?', 'I want to cancel my order.'],
    ['What do you need?', 'Yes.'],
    ['What is your phone number?', "I don't know it."],
    ['What is your phone number?', 'Why do you need my number?'],
    ['What is your address?', 'I would rather not say.'],
    ['What is your address?', '12 Main Street, Springfield, 62704.'],
    ['What is your email address?', 'It is john dot smith at example dot com.'],
    ['What is your email address?', 'john.smith@example.com.'],
    ['What is your email address?', 'No, thank you.'],
    ['What is your date of birth?', 'March 3rd, 1984.'],
    ['Which day suits you?', 'On Tuesday.'],
    ['Which day suits you?', 'The fourteenth of March.'],
  ])('a finished answer to %j waits for at most 300 ms: %j', (question, words) => {
    const readMs = 100;
    const played = askedAndSaid(question, inParts(0, [words]), isLive);
    const [respondedAt = Infinity] = timesOf(played, 'respond');
    expect(respondedAt - 3_000 - readMs).toBeLessThanOrEqual(300);
  });
});

test('what was read ahead is not read again, and is forgotten if the person goes on', () => {
  const done = askedAndSaid('What do you need?', inParts(0, ['I want to cancel.']), false);
  expect([timesOf(done, 'read_ahead').length, timesOf(done, 'transcribe').length]).toEqual([1, 1]);
  // A whole sentence so far, by the recognizer. The person goes on before it is over.
  const goesOn = askedAndSaid('What do you need?', inParts(230, ['I want to.', 'Cancel my order,']), false);
  expect(timesOf(goesOn, 'transcribe')).toHaveLength(1);
  expect(timesOf(goesOn, 'respond')[0]).toBeGreaterThan(4_230 + 1_400);
});

test('nothing is read ahead while sound may still be on its way', () => {
  const turns = createTurns({ ...settings, readsAhead: true });
  turns.take({ at: 0, kind: 'answered', greets: false });
  const kinds: string[] = [];
  const hears = (frame: { voiced: boolean; isFilled: boolean }, from: number, to: number) => {
    for (let at = from + 20; at <= to; at += 20) {
      kinds.push(...turns.take({ at, kind: 'frame', ...frame }).map(({ kind }) => kind));
    }
  };
  hears({ voiced: true, isFilled: false }, 0, 600);
  hears({ voiced: false, isFilled: true }, 600, 900);
  expect(kinds).not.toContain('read_ahead');
  hears({ voiced: true, isFilled: false }, 900, 1_100);
  hears({ voiced: false, isFilled: false }, 1_100, 1_240);
  expect(kinds).not.toContain('read_ahead');
  hears({ voiced: false, isFilled: false }, 1_240, 1_260);
  expect(kinds).toContain('read_ahead');
});

test.each([
  ['that is asked once the person pauses', true],
  ['that tells words while they are spoken', false],
])('the words of a recognizer %s begin the reply as they come, not with the next frame', (_, readsAhead) => {
  const turns = createTurns({ ...settings, readsAhead });
  turns.take({ at: 0, kind: 'answered', greets: false });
  let readTo: number | undefined;
  for (let at = 20; at <= 1_160; at += 20) {
    for (const action of turns.take({ at, kind: 'frame', voiced: at <= 1_000 })) {
      if (action.kind === 'read_ahead') readTo = action.to;
    }
  }
  const words = {
    kind: 'partial',
    text: 'I want to cancel.',
    ...(readTo !== undefined && { readTo }),
  } as const;
  expect(turns.take({ at: 1_165, ...words })).toEqual([{ kind: 'prepare', text: 'I want to cancel.' }]);
  expect(turns.take({ at: 1_180, kind: 'frame', voiced: false })).toEqual([]);
});
