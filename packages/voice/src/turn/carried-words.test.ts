import { describe, expect, test } from 'vitest';
import { heardUpTo } from './heard-words.ts';
import { settings } from './stage.fixture.ts';
import type { TurnAction, TurnInput } from './turn-messages.ts';
import { createTurns } from './turns.ts';

/** A call whose carrier recognizes and synthesizes speech. */
function carried() {
  const turns = createTurns(settings);
  const done: TurnAction[] = [];
  const give = (...inputs: TurnInput[]) => {
    for (const input of inputs) done.push(...turns.take(input));
  };
  const answers = (answer: number, text: string, at: number, end: string | null = null) =>
    give(
      { at, kind: 'piece', answer, text },
      { at, kind: 'audio', answer, index: 0, ms: 3_000, done: true },
      { at, kind: 'replied', answer, end },
    );
  const record = () =>
    done.flatMap((action) =>
      action.kind === 'record'
        ? [`${action.turn.role}: ${action.turn.text}${action.turn.interrupted ? ' —' : ''}`]
        : [],
    );
  const kinds = () => done.map(({ kind }) => kind);
  return { give, answers, record, kinds, done };
}

describe('a carrier that recognizes and synthesizes speech', () => {
  test('an interrupted answer is recorded as far as the carrier reports, not as far as the clock suggests', () => {
    const { give, answers, record, done } = carried();
    give({ at: 0, kind: 'answered', greets: false }, { at: 100, kind: 'said', text: 'How long?' });
    answers(1, 'Three weeks. Then we write. And write again.', 200);
    give({ at: 2_900, kind: 'played', answer: 1, ms: 2_700 });
    give({ at: 2_900, kind: 'interrupted', heard: 'then we' }, { at: 3_400, kind: 'said', text: 'Stop.' });
    expect(record()).toEqual(['person: How long?', 'agent: Three weeks. Then we —', 'person: Stop.']);
    expect(done.find(({ kind }) => kind === 'heard')).toMatchObject({
      kind: 'heard',
      text: 'Three weeks. Then we',
    });
    expect(done.filter(({ kind }) => kind === 'respond')).toHaveLength(2);
  });

  test('when the person speaks and the carrier reports no interruption, the whole answer was heard', () => {
    const { give, answers, record } = carried();
    give({ at: 0, kind: 'answered', greets: false }, { at: 100, kind: 'said', text: 'How long?' });
    answers(1, 'Three weeks.', 200);
    give({ at: 900, kind: 'said', text: 'Thank you.' });
    expect(record()).toEqual(['person: How long?', 'agent: Three weeks.', 'person: Thank you.']);
  });

  test('a greeting is finished before words that were said during it are answered', () => {
    const { give, answers, record, kinds } = carried();
    give({ at: 0, kind: 'answered', greets: true });
    answers(1, 'Hello, this is Ada.', 0);
    give({ at: 500, kind: 'said', text: 'Who is it and what do you want?' });
    expect(kinds()).not.toContain('respond');
    give({ at: 3_000, kind: 'played', answer: 1, ms: 3_000 });
    expect(record()).toEqual(['agent: Hello, this is Ada.', 'person: Who is it and what do you want?']);
    expect(kinds()).toContain('respond');
  });

  test('a farewell that is cut off ends the call', () => {
    const { give, answers, record, done } = carried();
    give({ at: 0, kind: 'answered', greets: false }, { at: 100, kind: 'said', text: 'Bye.' });
    answers(1, 'Thank you and goodbye.', 200, 'agent_done');
    give({ at: 700, kind: 'interrupted', heard: 'Thank you' });
    expect(record()).toEqual(['person: Bye.', 'agent: Thank you —']);
    expect(done.at(-1)).toEqual({ kind: 'hang_up', reason: 'agent_done' });
  });

  test('words during a transfer interrupt neither the transfer nor the sentence after it', () => {
    const { give, record, kinds } = carried();
    give({ at: 0, kind: 'answered', greets: false }, { at: 100, kind: 'said', text: 'A person, please.' });
    give({ at: 200, kind: 'piece', answer: 1, text: 'I will put you through.' });
    give({ at: 300, kind: 'transferring', answer: 1, isTransferring: true });
    give({ at: 900, kind: 'interrupted', heard: 'I will' }, { at: 1_000, kind: 'said', text: 'At last.' });
    expect(kinds()).not.toContain('drop_playback');
    expect(record()).toEqual(['person: A person, please.', 'person: At last.']);
  });

  test('the agent waits for the rest of a sentence that sounds unfinished', () => {
    const { give, kinds } = carried();
    give({ at: 0, kind: 'answered', greets: false }, { at: 100, kind: 'said', text: 'I want to know if' });
    give({ at: 900, kind: 'tick' });
    expect(kinds()).not.toContain('respond');
    give({ at: 1_200, kind: 'tick' });
    expect(kinds()).toContain('respond');
  });
});

test.each([
  ['You may keep a book.', 'you may keep', 'You may keep'],
  ['One. Two three. Four.', 'two three', 'One. Two three.'],
  ['It costs 20 euros.', 'It costs twenty', 'It costs 20'],
  ['Short.', 'a text that is much longer than what was said', 'Short.'],
  ['Anything.', ' ', ''],
])('of %j, cut off after %j, %j was heard', (text, heard, expected) => {
  expect(heardUpTo(text, heard)).toBe(expected);
});
