import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dialogueOf, play, recordOf, settings, timesOf, type Line, type Played } from './stage.fixture.ts';
import type { TurnInput } from './turn-messages.ts';
import { createTurns } from './turns.ts';

const greeting: Line = { text: 'Hello, this is Ada from the library.', ms: 2_000 };
const long: Line = { text: 'one two three four five six seven eight nine ten', ms: 5_000 };
const reasonOf = (played: readonly Played[]) =>
  played.flatMap(({ action }) => (action.kind === 'hang_up' ? [action.reason] : []))[0];

describe('the end of a turn', () => {
  test('comes after 400 ms of silence, and the reply after the transcript', () => {
    const played = play({ person: [{ at: 500, forMs: 1_000, words: 'Where are you?' }], lastsMs: 4_000 });
    const [read] = timesOf(played, 'transcribe');
    expect(read).toBeGreaterThanOrEqual(1_900);
    expect(read).toBeLessThanOrEqual(1_920);
    expect(timesOf(played, 'respond')).toHaveLength(1);
    expect(dialogueOf(played)).toEqual(['person: Where are you?', 'agent: Fine.']);
  });

  test('waits longer for an unfinished sentence, and joins its parts', () => {
    const played = play({
      person: [
        { at: 500, forMs: 600, words: 'I would like the' },
        { at: 1_800, forMs: 600, words: 'blue one.' },
      ],
      lastsMs: 5_000,
    });
    expect(dialogueOf(played)).toEqual(['person: I would like the blue one.', 'agent: Fine.']);
  });

  test('also comes if the sentence is never finished', () => {
    const played = play({ person: [{ at: 500, forMs: 600, words: 'I want to' }], lastsMs: 5_000 });
    const [answered = 0] = timesOf(played, 'respond');
    expect(answered).toBeGreaterThanOrEqual(2_080);
    expect(answered).toBeLessThanOrEqual(2_140);
  });

  test('comes after the longest utterance, with or without silence', () => {
    const played = play({
      person: [{ at: 0, forMs: 20_000, words: 'and so on and' }],
      lastsMs: 12_000,
      settings: { longestUtteranceMs: 10_000 },
    });
    expect(timesOf(played, 'transcribe')[0]).toBeLessThan(10_200);
  });

  test('clicks and breaths are not transcribed', () => {
    const person = Array.from({ length: 5 }, (_, n) => ({ at: 500 + n * 1_000, forMs: 60, words: 'x' }));
    const played = play({ person, lastsMs: 7_000 });
    expect(timesOf(played, 'transcribe')).toEqual([]);
  });
});

describe('the greeting', () => {
  test.each(['Hello?', 'Yes, who is this?'])('is not cut by %s', (words) => {
    const played = play({ greeting, person: [{ at: 300, forMs: 700, words }], lastsMs: 4_000 });
    expect(timesOf(played, 'drop_playback')).toEqual([]);
    expect(timesOf(played, 'pause_playback')).toEqual([]);
    expect(timesOf(played, 'respond')).toEqual([]);
    expect(dialogueOf(played)).toEqual([`person: ${words}`, `agent: ${greeting.text}`]);
  });

  test.each([
    ['Yes.', 1],
    ['Hello?', 0],
  ])('that ends in a question is answered by %s with its last words: %i', (words, answers) => {
    const played = play({
      greeting: { text: 'This is Ada. Do you have a minute?', ms: 2_000 },
      person: [{ at: 1_200, forMs: 400, words }],
      lastsMs: 5_000,
    });
    expect(timesOf(played, 'drop_playback')).toEqual([]);
    expect(timesOf(played, 'respond')).toHaveLength(answers);
  });

  test('is heard to its end, and then a question asked during it is answered', () => {
    const words = 'Where are you calling from?';
    const played = play({ greeting, person: [{ at: 300, forMs: 900, words }], lastsMs: 5_000 });
    expect(dialogueOf(played)).toEqual([`agent: ${greeting.text}`, `person: ${words}`, 'agent: Fine.']);
  });

  test('gives way to a person who does not stop', () => {
    const played = play({
      greeting,
      person: [{ at: 100, forMs: 2_500, words: 'I told you people to leave me alone.' }],
      lastsMs: 5_000,
    });
    expect(timesOf(played, 'drop_playback')[0]).toBeLessThan(1_800);
  });
});

describe('an interruption', () => {
  const during = (words: string, forMs: number) =>
    play({
      greeting,
      person: [
        { at: 2_500, forMs: 600, words: 'Tell me.' },
        { at: 5_000, forMs, words },
      ],
      reply: (text) => (text === 'Tell me.' ? long : { text: 'Done.', ms: 500 }),
      lastsMs: 15_000,
    });

  test('of its last moments, which are heard nevertheless, does not keep the agent from going on', () => {
    const dialogue = (at: number) =>
      dialogueOf(
        play({
          greeting,
          person: [
            { at: 2_500, forMs: 600, words: 'Tell me.' },
            { at, forMs: 900, words: 'What does it cost?' },
          ],
          reply: (text) => ({ text: text === 'Tell me.' ? 'It is a book.' : 'Nothing.', ms: 2_000 }),
          lastsMs: 12_000,
          onItsWayMs: 100,
        }),
      );
    // The answer ends between 5.6 and 5.8 s.
    const instants = Array.from({ length: 40 }, (_, nth) => 5_000 + 20 * nth);
    expect(instants.filter((at) => dialogue(at).at(-1) !== 'agent: Nothing.')).toEqual([]);
  });

  test('makes the agent pause after 200 ms of voice and stop after 600 ms', () => {
    const played = during('Stop, what does it cost?', 1_200);
    const [paused = 0] = timesOf(played, 'pause_playback');
    const [dropped = 0] = timesOf(played, 'drop_playback');
    expect(paused - 5_000).toBeGreaterThanOrEqual(200);
    expect(paused - 5_000).toBeLessThanOrEqual(240);
    expect(dropped - 5_000).toBeLessThanOrEqual(640);
    expect(dialogueOf(played).slice(2)).toEqual([
      'agent: one two three —',
      'person: Stop, what does it cost?',
      'agent: Done.',
    ]);
    expect(played.find(({ action }) => action.kind === 'heard')?.action).toMatchObject({
      kind: 'heard',
      text: 'one two three',
    });
  });

  test.each([
    'Okay.',
    'uh-huh',
    'Yes, right.',
    'Exactly, that makes sense.',
    'Of course.',
    'Alles klar.',
    'D’accord, je vois.',
  ])('%s does not stop the agent', (words) => {
    const played = during(words, 400);
    expect(timesOf(played, 'resume_playback')).toHaveLength(1);
    expect(timesOf(played, 'drop_playback')).toEqual([]);
    expect(dialogueOf(played).slice(2)).toEqual([`person: ${words}`, `agent: ${long.text}`]);
  });

  test('short words other than a back-channel stop the agent', () => {
    expect(dialogueOf(during('Stop.', 400)).slice(2)).toEqual([
      'agent: one two three —',
      'person: Stop.',
      'agent: Done.',
    ]);
  });

  test('the agent continues after a sound without words', () => {
    expect(dialogueOf(during('', 400)).slice(2)).toEqual([`agent: ${long.text}`]);
  });

  test('does not hold up the farewell', () => {
    const played = play({
      person: [
        { at: 100, forMs: 600, words: 'Goodbye.' },
        { at: 2_000, forMs: 900, words: 'Bye then, bye.' },
      ],
      reply: () => ({ text: 'Goodbye, and thank you.', ms: 3_000, end: 'done' }),
      lastsMs: 10_000,
    });
    expect(timesOf(played, 'drop_playback')).toEqual([]);
    expect(reasonOf(played)).toBe('done');
    expect(timesOf(played, 'hang_up')[0]).toBeLessThan(4_600);
  });
});

describe('keys', () => {
  const inSilence = (...inputs: TurnInput[]) => pressed(settings.keys, ...inputs);
  const pressed = (keys: typeof settings.keys, ...inputs: TurnInput[]) => {
    const turns = createTurns({ ...settings, keys });
    const done: Played[] = [];
    const give = (input: TurnInput) =>
      done.push(...turns.take(input).map((action) => ({ at: input.at, action })));
    give({ at: 0, kind: 'answered', greets: false });
    for (let at = 20; at <= 4_000; at += 20) {
      for (const input of inputs) if (input.at > at - 20 && input.at <= at) give(input);
      give({ at, kind: 'tick' });
    }
    return done;
  };
  const key = (at: number, digit: string): TurnInput => ({ at, kind: 'key', digit });
  const asked = (played: readonly Played[]) =>
    played.flatMap(({ at, action }) =>
      action.kind === 'respond_to_keys' || action.kind === 'respond' ? [{ ...action, at }] : [],
    );

  test('are answered together, half a second after the last one', () => {
    const played = inSilence(key(100, '4'), key(400, '0'), key(700, '#'));
    expect(asked(played)).toMatchObject([{ kind: 'respond_to_keys', digits: '40#', at: 1_200 }]);
  });

  test('are one input with pauses in it, which ends at the key that finishes it', () => {
    const presses = ['4', '7', '1'].map((digit, nth) => key(100 + nth * 300, digit));
    const keys = { timeoutMs: 2_000, finishOn: '#', length: null };
    const played = pressed(keys, ...presses, key(2_000, '1'), key(2_300, '#'));
    expect(asked(played)).toMatchObject([{ kind: 'respond_to_keys', digits: '4711', at: 2_300 }]);
  });

  test('may be the key that finishes alone', () => {
    const played = pressed({ timeoutMs: 800, finishOn: '#', length: null }, key(100, '#'));
    expect(asked(played)).toMatchObject([{ digits: '#', at: 900 }]);
  });

  test('are answered at once when there are as many as the agent wants', () => {
    const keys = { timeoutMs: 3_000, finishOn: '#', length: 2 };
    const played = pressed(keys, key(100, '1'), key(200, '2'), key(300, '3'));
    expect(asked(played)[0]).toMatchObject({ digits: '12', at: 200 });
    expect(asked(pressed({ ...keys, length: 1 }, key(100, '1')))).toMatchObject([{ digits: '1', at: 100 }]);
  });

  test('that arrive at twelve a second cause no request to the model until they stop', () => {
    const flood = Array.from({ length: 36 }, (_, n) => key(100 + n * 83, '1'));
    const played = inSilence(...flood);
    expect(asked(played)).toHaveLength(1);
  });

  test('stop the agent at once', () => {
    const played = inSilence(key(100, '1'), key(1_000, '2'));
    expect(timesOf(played, 'drop_playback')).toEqual([1_000]);
    expect(asked(played)).toMatchObject([{ digits: '1' }, { digits: '2', at: 1_500 }]);
  });

  test('delay the reply to words that are said while they are pressed', () => {
    const played = inSilence(key(100, '1'), { at: 200, kind: 'said', text: 'This is my number.' });
    expect(asked(played).map(({ kind }) => kind)).toEqual(['respond_to_keys']);
  });
});

describe('a silence', () => {
  test('makes the agent prompt, and then hang up', () => {
    const played = play({ greeting, person: [], lastsMs: 60_000 });
    expect(dialogueOf(played)).toEqual([`agent: ${greeting.text}`, 'agent: Are you still there?']);
    expect(reasonOf(played)).toBe('silence');
    expect(timesOf(played, 'hang_up')[0]).toBeLessThan(20_000);
  });

  test('while a tool works is filled after a second, once', () => {
    const played = play({
      person: [{ at: 100, forMs: 600, words: 'Look it up.' }],
      reply: () => ({ ...long, workMs: 4_000 }),
      lastsMs: 12_000,
    });
    expect(timesOf(played, 'acknowledge')).toHaveLength(1);
    expect(dialogueOf(played)).toEqual(['person: Look it up.', `agent: One moment. ${long.text}`]);
  });
});

describe('a call ends', () => {
  test('after a minute of music without words', () => {
    const played = play({ greeting, person: [{ at: 0, forMs: 500_000, words: '' }], lastsMs: 300_000 });
    expect(reasonOf(played)).toBe('no_words');
    expect(timesOf(played, 'hang_up')[0]).toBeLessThan(64_000);
  });

  test('after its longest duration, if a person babbles forever', () => {
    const played = play({ person: [{ at: 0, forMs: 2_000_000, words: 'so I said' }], lastsMs: 700_000 });
    expect(reasonOf(played)).toBe('call_too_long');
  });

  test('with a record if the person hangs up in the middle of a sentence', () => {
    const turns = createTurns(settings);
    turns.take({ at: 0, kind: 'answered', greets: true });
    turns.take({ at: 0, kind: 'piece', answer: 1, text: 'one two three four' });
    turns.take({ at: 0, kind: 'audio', answer: 1, index: 0, ms: 2_000, done: true });
    turns.take({ at: 1_000, kind: 'played', answer: 1, ms: 1_000 });
    const actions = turns.take({ at: 1_000, kind: 'left' });
    expect(actions).toContainEqual({
      kind: 'record',
      turn: { role: 'agent', text: 'one two', startedAt: 1_000, endedAt: 1_000, interrupted: true },
    });
    expect(turns.take({ at: 2_000, kind: 'tick' })).toEqual([]);
  });
});

test('for any words at any time, the record holds only what was said, and the call ends once', () => {
  const words = ['', 'okay', 'Hello?', 'stop that', 'and then', 'What does it cost?', 'no'];
  const spoken = fc.record({
    at: fc.nat(40_000),
    forMs: fc.nat(6_000),
    words: fc.constantFrom(...words),
  });
  const lines = fc.array(
    fc.record({
      text: fc.constantFrom('one two three', 'a', 'this is a somewhat longer sentence of ten words here'),
      ms: fc.nat(6_000),
      fails: fc.boolean(),
      workMs: fc.nat(3_000),
    }),
    { minLength: 1, maxLength: 5 },
  );
  fc.assert(
    fc.property(fc.array(spoken, { maxLength: 12 }), lines, fc.nat(1_500), (person, answers, readMs) => {
      let nth = 0;
      const reply = () => answers[nth++ % answers.length] ?? long;
      const played = play({ greeting, person, reply, readMs, lastsMs: 90_000 });
      const begun = played.flatMap(({ action }) =>
        action.kind === 'greet' ||
        action.kind === 'respond' ||
        action.kind === 'prompt_idle' ||
        action.kind === 'go_on'
          ? [action.answer]
          : [],
      );
      expect(begun).toEqual(begun.map((_, index) => index + 1));
      const whole = [
        greeting.text,
        'Are you still there?',
        'I am sorry.',
        ...answers.map(({ text }) => text),
      ];
      const sayable = whole.flatMap((line) => [line, `One moment. ${line}`]);
      for (const turn of recordOf(played)) {
        if (turn.role === 'person') continue;
        // The rest of an answer that a noise has stopped does not begin with its first word.
        expect(sayable.some((text) => text.includes(turn.text))).toBe(true);
      }
      expect(timesOf(played, 'hang_up')).toHaveLength(1);
      expect(timesOf(played, 'respond').length).toBeLessThanOrEqual(person.length);
    }),
    {
      numRuns: 60,
      examples: [
        // The first answer is dropped while its tool works, and a second one is given instead.
        [
          [
            { at: 1_900, forMs: 100, words: 'What does it cost?' },
            { at: 0, forMs: 1_500, words: 'okay' },
          ],
          [{ text: 'one two three', ms: 0, fails: false, workMs: 1_501 }],
          0,
        ],
      ],
    },
  );
});

describe('a model that is slow', () => {
  const asked = { at: 100, forMs: 600, words: 'What does it cost?' };

  test.each([100, 900])(
    'is said to be, before two and a half seconds of silence: read in %i ms',
    (readMs) => {
      const played = play({
        person: [asked],
        thinkMs: 4_000,
        readMs,
        lastsMs: 7_000,
        reply: () => ({ text: 'Two euros.', ms: 800 }),
      });
      const [said = Infinity, ...more] = timesOf(played, 'acknowledge');
      expect(said - 700).toBeLessThanOrEqual(2_200);
      expect(more).toEqual([]);
      expect(dialogueOf(played).at(-1)).toBe('agent: One moment. Two euros.');
    },
  );

  test('is not said to be if it answers soon', () => {
    const played = play({
      person: [asked],
      thinkMs: 900,
      lastsMs: 4_000,
      reply: () => ({ text: 'Two euros.', ms: 800 }),
    });
    expect(timesOf(played, 'acknowledge')).toEqual([]);
  });
});

describe('an answer that is stopped by a sound without words', () => {
  const answer = { text: 'one two three four five six seven eight nine ten', ms: 5_000 };
  const asked = { at: 100, forMs: 600, words: 'Well?' };
  const said = (played: readonly Played[]) =>
    recordOf(played).flatMap(({ role, text }) => (role === 'agent' ? [text] : []));

  test.each([
    [
      'two coughs',
      [
        { at: 2_500, forMs: 700, words: '' },
        { at: 3_300, forMs: 700, words: '' },
      ],
    ],
    ['a laugh', [{ at: 2_500, forMs: 900, words: '' }]],
    ['a second and a half of noise', [{ at: 2_500, forMs: 1_500, words: '' }]],
    ['a long yes', [{ at: 2_500, forMs: 1_300, words: 'yeah right I see' }]],
    [
      'a yes in parts',
      [
        { at: 2_500, forMs: 900, words: 'yeah right' },
        { at: 3_800, forMs: 400, words: 'I see' },
      ],
    ],
    [
      'a cough and a click',
      [
        { at: 2_500, forMs: 900, words: '' },
        { at: 3_800, forMs: 80, words: '' },
      ],
    ],
    ['a longer one', [{ at: 2_500, forMs: 2_000, words: 'yeah yeah okay right sure I see good' }]],
  ])('goes on from where it was heard, within two seconds: %s', (_, sounds) => {
    const played = play({ person: [asked, ...sounds], reply: () => answer, lastsMs: 12_000 });
    const ends = sounds.at(-1);
    expect((timesOf(played, 'go_on')[0] ?? Infinity) - ((ends?.at ?? 0) + (ends?.forMs ?? 0))).toBeLessThan(
      1_000,
    );
    const [first = '', ...rest] = said(played);
    expect(first.split(' ').length).toBeGreaterThan(1);
    expect([first, ...rest].join(' ')).toBe(answer.text);
    expect(timesOf(played, 'respond')).toHaveLength(1);
  });

  test('does not go on after words', () => {
    const played = play({
      person: [asked, { at: 2_500, forMs: 900, words: 'no wait' }],
      reply: (text) => (text === 'Well?' ? answer : { text: 'Yes?', ms: 500 }),
      lastsMs: 8_000,
    });
    expect(timesOf(played, 'go_on')).toEqual([]);
    expect(said(played).at(-1)).toBe('Yes?');
  });

  test.each([
    ['short', 300],
    ['long enough to stop the agent', 700],
  ])('is answered if it was a question whose last words a yes came with: %s', (_, forMs) => {
    const question = { text: 'one two three four five six seven eight nine ten?', ms: 5_000 };
    const yes = { at: 5_500, forMs, words: 'Yes, sure.' };
    const played = play({
      person: [asked, yes],
      reply: (text) => (text === 'Well?' ? question : { text: 'Good.', ms: 500 }),
      lastsMs: 9_000,
    });
    expect(said(played).at(-1)).toBe('Good.');
    expect((timesOf(played, 'respond')[1] ?? Infinity) - yes.at).toBeLessThan(2_000);
  });

  test('does not go on if it was heard to its end', () => {
    const played = play({
      person: [asked, { at: 3_000, forMs: 900, words: '' }],
      reply: () => ({ text: 'Yes.', ms: 400 }),
      lastsMs: 7_000,
    });
    expect(timesOf(played, 'go_on')).toEqual([]);
  });
});

describe('people who talk in the background while the agent speaks', () => {
  const talkFor = (forMs: number, isFar: (at: number) => boolean) => {
    const turns = createTurns(settings);
    const kinds: string[] = [];
    const give = (input: TurnInput) => kinds.push(...turns.take(input).map(({ kind }) => kind));
    give({ at: 0, kind: 'answered', greets: false });
    give({ at: 0, kind: 'said', text: 'Well?' });
    give({ at: 0, kind: 'piece', answer: 1, text: 'A long answer.' });
    give({ at: 0, kind: 'audio', answer: 1, index: 0, ms: 60_000, done: true });
    for (let at = 20; at <= forMs; at += 20) give({ at, kind: 'frame', voiced: true, isFar: isFar(at) });
    return kinds;
  };

  test('do not interrupt it, but the person does, even amid their voices', () => {
    expect(talkFor(6_000, () => true)).not.toContain('pause_playback');
    const interrupted = talkFor(6_000, (at) => at < 3_000);
    expect(interrupted).toContain('pause_playback');
    expect(interrupted).toContain('drop_playback');
  });

  test('do not interrupt it with single loud words that are far apart', () => {
    expect(talkFor(6_000, (at) => at % 1_000 >= 160)).not.toContain('pause_playback');
  });
});
