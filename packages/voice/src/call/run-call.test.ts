import type { TransferResult } from '@outdial/core';
import { describe, expect, test } from 'vitest';
import type { ConversationStep } from '../conversation/conversation.ts';
import { keyTones } from '../audio/key-tones.ts';
import { fromMuLaw, toMuLaw } from '../audio/mu-law.ts';
import { silence, tone } from '../machine/sound.fixture.ts';
import { callWith, type FakeCall, steps } from './call.fixture.ts';

const office = { kind: 'transfer', target: 'the office', to: '+12125550190', mode: 'cold' } as const;
const connect = { kind: 'say', text: 'I connect you.' } as const;

/** A call on which the person asked for the office, and the agent transfers them. */
async function transferring(args: Partial<FakeCall>) {
  const call = callWith({
    transcripts: ['The office, please.'],
    answer: (heard) =>
      heard.startsWith('[') ? steps({ kind: 'say', text: 'They cannot talk.' }) : steps(connect, office),
    ...args,
  });
  await call.speaks(1_000);
  await call.goOn(600);
  return call;
}

describe('a transfer', () => {
  test('ends the call of the agent once the target is connected and the last words were heard', async () => {
    const call = await transferring({ transfer: () => Promise.resolve('connected') });
    expect(call.ended()).toBeNull();
    await call.goOn(1_500);
    expect(call.dialogue()).toEqual(['person: The office, please.', 'agent: I connect you.']);
    expect([call.ended(), call.results]).toEqual(['transferred', ['connected']]);
    expect(call.secondLine).toEqual(['reserved']);
  });

  test.each(['busy', 'no_answer', 'failed'] as const)('that is %s returns to the agent', async (result) => {
    const call = await transferring({ transfer: () => Promise.resolve(result) });
    await call.goOn(3_000);
    expect(call.heardByModel[1]).toContain('[The transfer failed');
    expect(call.dialogue()[1]).toBe('agent: I connect you. They cannot talk.');
    expect(call.ended()).toBeNull();
  });

  test('without a free line is not dialed, and the agent gets the reason', async () => {
    let dials = 0;
    const call = await transferring({
      refusal: () => Promise.resolve('no_line_free'),
      transfer() {
        dials += 1;
        return Promise.resolve('connected');
      },
    });
    await call.goOn(3_000);
    expect(call.heardByModel[1]).toContain('the office cannot be connected. All lines are in use.');
    expect([dials, call.results, call.ended()]).toEqual([0, ['refused'], null]);
  });

  test('that throws releases its line, and returns to the agent', async () => {
    const call = await transferring({ transfer: () => Promise.reject(new Error('500')) });
    await call.goOn(3_000);
    expect(call.heardByModel[1]).toContain('[The transfer failed');
    expect(call.secondLine).toEqual(['reserved', 'released']);
  });

  test('releases its line before the agent learns of the failure', async () => {
    const released = Promise.withResolvers<void>();
    const call = await transferring({
      release: () => released.promise,
      transfer: () => Promise.resolve('busy'),
    });
    await call.goOn(1_000);
    expect(call.heardByModel).toHaveLength(1);
    released.resolve();
    await call.goOn(1_000);
    expect(call.heardByModel).toHaveLength(2);
  });

  test('is not dialed if the person hangs up while the line is being reserved, and releases the line', async () => {
    const taken = Promise.withResolvers<null>();
    let dials = 0;
    const call = await transferring({
      refusal: () => taken.promise,
      transfer() {
        dials += 1;
        return Promise.resolve('connected');
      },
    });
    call.call.left();
    taken.resolve(null);
    await call.goOn(100);
    expect([dials, call.secondLine]).toEqual([0, ['reserved', 'released']]);
  });

  test('reserves no line if the person speaks before it begins', async () => {
    const call = await transferring({
      transcripts: ['The office, please.', 'No, wait, I have a question first.'],
      async *answer(heard, signal) {
        yield connect;
        if (heard.startsWith('No')) return;
        // The tool ends after the person has spoken.
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        yield office;
      },
    });
    await call.goOn(500);
    await call.speaks(1_500);
    await call.goOn(1_000);
    expect(call.heardByModel).toHaveLength(2);
    expect(call.secondLine).toEqual([]);
  });

  test('continues while the person speaks, and replies afterwards', async () => {
    const decided = Promise.withResolvers<TransferResult>();
    let isGivenUp = false;
    const call = await transferring({
      transcripts: ['The office, please.', 'Hello, is anybody there?', 'Then call me back.'],
      transfer(_, signal) {
        signal.addEventListener('abort', () => (isGivenUp = true));
        return decided.promise;
      },
    });
    await call.goOn(1_200);
    await call.speaks(1_500);
    await call.goOn(800);
    expect(isGivenUp).toBe(false);
    expect(call.dialogue()).toContain('person: Hello, is anybody there?');
    decided.resolve('busy');
    await call.goOn(2_000);
    await call.speaks(1_000);
    await call.goOn(600);
    expect(call.heardByModel).toContain('Then call me back.');
  });

  test('is canceled when the person hangs up', async () => {
    let isGivenUp = false;
    const call = await transferring({
      transfer: (_, signal) =>
        new Promise((resolve) =>
          signal.addEventListener('abort', () => {
            isGivenUp = true;
            resolve('failed');
          }),
        ),
    });
    call.call.left();
    await call.goOn(40);
    expect([isGivenUp, call.ended()]).toEqual([true, 'left']);
    expect(call.secondLine).toEqual(['reserved', 'released']);
  });

  test('is not retried forever', async () => {
    let dials = 0;
    let rounds = 0;
    const call = await transferring({
      transfer() {
        dials += 1;
        return Promise.resolve('busy');
      },
      answer() {
        rounds += 1;
        return rounds > 20 ? steps() : steps(office);
      },
    });
    await call.goOn(2_000);
    expect(dials).toBe(5);
    expect(call.secondLine.filter((what) => what === 'reserved')).toHaveLength(5);
    expect(call.heardByModel[6]).toContain('too many transfers');
  });
});

test("presses keys, and continues with the model's answer", async () => {
  const call = callWith({
    transcripts: ['For sales, press two.'],
    answer: () => steps({ kind: 'send_dtmf', digits: '2' }, { kind: 'say', text: 'Hello.' }),
  });
  await call.speaks(1_500);
  await call.goOn(2_000);
  expect([call.pressed, call.dialogue().at(-1)]).toEqual([['2'], 'agent: Hello.']);
});

test('plays keys as tones on a line that cannot signal them, and then goes on', async () => {
  const call = callWith({
    transcripts: ['For sales, press two.'],
    canPress: false,
    answer: () => steps({ kind: 'send_dtmf', digits: '12#' }, { kind: 'say', text: 'Hello.' }),
  });
  await call.speaks(1_500);
  await call.goOn(3_000);
  const tones = fromMuLaw(toMuLaw(keyTones('12#')));
  expect(call.sent().subarray(0, tones.length)).toEqual(tones);
  expect(call.dialogue().at(-1)).toBe('agent: Hello.');
});

describe('a mailbox', () => {
  test('gets the message after its beep, and nothing of the conversation', async () => {
    const call = callWith({
      greeting: 'Hello, this is Ada.',
      voicemail: 'Please call us back.',
      transcripts: ['You have reached Ann, leave a message after the tone.'],
    });
    await call.speaks(3_000);
    await call.goOn(600);
    const before = call.sentFrames();
    await call.goOn(1_000);
    expect(call.sentFrames()).toBe(before);
    await call.hears(tone(1_000, 400));
    await call.hears(silence(1_500));
    expect(call.heardByModel).toEqual([]);
    expect(call.dialogue().at(-1)).toBe('agent: Please call us back.');
    expect([call.machines(), call.ended()]).toEqual([1, 'voicemail']);
  });

  test('is left at once if the agent leaves no message', async () => {
    const call = callWith({ transcripts: ['Please leave a message.'] });
    await call.speaks(2_000);
    await call.goOn(700);
    expect([call.machines(), call.ended(), call.heardByModel]).toEqual([1, 'voicemail', []]);
  });
});

describe('a person who talks for a long time', () => {
  const story = 'It came on Monday, but the box was open, so I took it back to the shop.';

  test('in reply to the agent gets an answer, and is not taken for a mailbox', async () => {
    const call = callWith({ greeting: 'Has it arrived?', transcripts: [story] });
    await call.goOn(2_000);
    await call.speaks(8_000);
    await call.goOn(1_000);
    expect([call.machines(), call.heardByModel]).toEqual([0, [story]]);
  });

  test('before the agent has said anything is taken for a mailbox', async () => {
    const call = callWith({ transcripts: [story] });
    await call.speaks(8_000);
    await call.goOn(1_000);
    expect([call.machines(), call.ended(), call.heardByModel]).toEqual([1, 'voicemail', []]);
  });
});

test('tells the model about an assistant that screens the call', async () => {
  const call = callWith({
    transcripts: ['Say your name and why you are calling.'],
    answer: () => steps({ kind: 'say', text: 'Ada, about your book.' }),
  });
  await call.speaks(2_500);
  await call.goOn(2_000);
  expect(call.heardByModel[0]).toContain('(An assistant that screens calls says this.');
  expect(call.dialogue().at(-1)).toBe('agent: Ada, about your book.');
});

describe('a live recognizer', () => {
  test('hears the person from before the first voice to the end of the turn, and nothing in between', async () => {
    const call = callWith({ transcripts: ['How long?'] });
    await call.goOn(2_000);
    expect(call.heardLive).toEqual([]);
    await call.speaks(1_000);
    expect(call.utterances).toEqual([]);
    // The lead, and the frames in which the detector was not yet sure.
    expect(call.heardLive.reduce((sum, ms) => sum + ms)).toBe(1_240);
    await call.goOn(3_000);
    expect(call.heardByModel).toEqual(['How long?']);
    expect(call.heardLive.reduce((sum, ms) => sum + ms)).toBeLessThanOrEqual(1_640);
  });

  const thinks = (ran: string[]) =>
    async function* (heard: string): AsyncGenerator<ConversationStep> {
      yield { kind: 'say', text: `To ${heard}` };
      yield { kind: 'working', tool: 'book' };
      ran.push(heard);
    };

  test('lets the reply begin before the turn is over, and a tool run only after it', async () => {
    const ran: string[] = [];
    const call = callWith({ transcripts: ['How long?'], answer: thinks(ran) });
    await call.speaks(1_000);
    call.call.partial('how long');
    await call.goOn(200);
    expect([call.heardByModel, ran]).toEqual([['how long'], []]);
    await call.goOn(1_000);
    // The model was not asked again, and the agent speaks.
    expect([call.heardByModel, ran, call.discarded]).toEqual([['how long'], ['how long'], []]);
    await call.goOn(2_000);
    expect(call.dialogue()).toEqual(['person: How long?', 'agent: To how long']);
  });

  test('lets a whole sentence be answered in half a second, although the model takes 300 ms', async () => {
    let spokeAt = 0;
    const call = callWith({
      transcripts: ['How long?'],
      async *answer() {
        const from = call.nowMs();
        while (call.nowMs() < from + 300) await Promise.resolve();
        yield { kind: 'say', text: 'Three weeks.' };
      },
    });
    await call.speaks(1_000);
    call.call.partial('How long?');
    const endedAt = call.nowMs();
    for (const before = call.sentFrames(); spokeAt === 0;) {
      await call.goOn(20);
      if (call.sentFrames() > before) spokeAt = call.nowMs();
    }
    expect(spokeAt - endedAt).toBeLessThanOrEqual(500);
  });

  test('has a reply discarded if the person says more, or something else', async () => {
    const call = callWith({ transcripts: ['How long may I keep it?'], answer: thinks([]) });
    await call.speaks(600);
    call.call.partial('how long');
    await call.goOn(200);
    await call.speaks(400);
    call.call.partial('how long may I keep it');
    await call.goOn(1_000);
    expect(call.discarded).toEqual(['how long']);
    expect(call.heardByModel).toEqual(['how long', 'how long may I keep it']);
  });

  test('lets no reply begin to an opt-out', async () => {
    const call = callWith({ transcripts: ['Do not call me again.'], answer: thinks([]) });
    await call.speaks(1_000);
    call.call.partial('Do not call me again.');
    await call.goOn(3_000);
    expect([call.heardByModel, call.optOuts()]).toEqual([[], 1]);
  });

  test('has a reply discarded if the person leaves', async () => {
    const leaves = callWith({ transcripts: ['Bye'], answer: thinks([]) });
    await leaves.speaks(600);
    leaves.call.partial('bye');
    await leaves.goOn(200);
    leaves.call.left();
    await leaves.goOn(200);
    expect(leaves.discarded).toEqual(['bye']);
  });

  test('hears no click', async () => {
    const call = callWith({});
    await call.goOn(1_000);
    await call.speaks(80);
    await call.goOn(1_000);
    expect(call.heardLive).toEqual([]);
  });
});

describe('an endpoint that fails', () => {
  test('ends the call with an apology, if it is the language model', async () => {
    const call = callWith({
      transcripts: ['How are you?'],
      // A stream that breaks off throws in the middle of the answer.
      answer: async function* () {
        yield { kind: 'say', text: 'I am' };
        throw new Error('cut');
      },
    });
    await call.speaks(1_000);
    await call.goOn(3_500);
    expect(call.dialogue().at(-1)).toContain('I am sorry.');
    expect(call.ended()).toBe('endpoint_failed');
    // Once as it fails, so that it counts even if the person hangs up first; the reporter tells it once.
    expect(call.countsAs()[0]).toEqual({ outcome: 'failed', reason: 'endpoint_failed' });
  });

  test('ends the call without an apology, if it is the speech model', async () => {
    const call = callWith({
      greeting: 'Hello.',
      speak: () => {
        throw new Error('500');
      },
    });
    await call.goOn(200);
    expect(call.ended()).toBe('endpoint_failed');
  });
});

describe('the last words of a person who hangs up', () => {
  const optOuts = [
    'Do not call me again.',
    'remove me',
    'Bitte nicht mehr anrufen',
    'no me llamen más',
    "N'appelez plus.",
  ];
  test.each(Array.from({ length: 13 }, (_, nth) => nth * 100))(
    'are recorded, and an opt-out in them counts, %i ms after the last one',
    async (silentMs) => {
      for (const words of optOuts) {
        const call = callWith({ transcripts: [words], answer: () => steps() });
        await call.speaks(1_200);
        await call.goOn(silentMs);
        call.call.left();
        await call.goOn(100);
        expect(call.dialogue()[0]).toBe(`person: ${words}`);
        expect([call.optOuts(), call.ended()]).toEqual([1, 'left']);
      }
    },
  );

  test('are recorded once they are transcribed, while the line is already closed', async () => {
    const heard = Promise.withResolvers<void>();
    const call = callWith({ transcripts: ['Stop calling me.'], heardAt: heard.promise });
    await call.speaks(1_000);
    call.call.left();
    await call.goOn(1_000);
    expect([call.ended(), call.hungUp()]).toEqual([null, true]);
    heard.resolve();
    await call.goOn(20);
    expect([call.dialogue(), call.optOuts(), call.ended()]).toEqual([
      ['person: Stop calling me.'],
      1,
      'left',
    ]);
  });

  test('are one turn with what they said just before', async () => {
    const call = callWith({ transcripts: ['I told you, and', 'do not call me again.'] });
    await call.speaks(1_000);
    await call.goOn(600);
    await call.speaks(1_000);
    call.call.left();
    await call.goOn(100);
    expect(call.dialogue()).toEqual(['person: I told you, and do not call me again.']);
    expect(call.optOuts()).toBe(1);
  });

  test('are recorded if the agent hangs up, or the call is cut', async () => {
    for (const isCut of [false, true]) {
      const call = callWith({
        transcripts: ['Goodbye.', 'And never call me again!'],
        answer: () => steps({ kind: 'say', text: 'Bye.' }, { kind: 'end_call', reason: 'agent_done' }),
      });
      await call.speaks(1_000);
      await call.goOn(700);
      await call.speaks(isCut ? 400 : 1_200);
      if (isCut) call.call.cut('process_ended');
      await call.goOn(300);
      expect(call.dialogue().at(-1)).toBe('person: And never call me again!');
      expect([call.optOuts(), call.ended()]).toEqual([1, isCut ? 'process_ended' : 'agent_done']);
    }
  });

  test.each([
    ['left', 8_000],
    ['process_ended', 2_500],
  ])('are waited for after %s, but not for longer than %i ms', async (reason, longestMs) => {
    const call = callWith({ heardAt: Promise.withResolvers<void>().promise });
    await call.speaks(1_000);
    call.call.cut(reason);
    await call.goOn(longestMs - 20);
    expect(call.ended()).toBeNull();
    await call.goOn(20);
    expect(call.ended()).toBe(reason);
  });

  test('reach the model, whose answer is no longer spoken', async () => {
    const answered = Promise.withResolvers<void>();
    const ran: string[] = [];
    const call = callWith({
      transcripts: ['I would rather not hear from you.'],
      async *answer(_, signal) {
        await answered.promise;
        if (signal.aborted) return;
        ran.push('opt_out');
        yield { kind: 'say', text: 'Done.' };
        yield { kind: 'send_dtmf', digits: '1' };
        yield office;
      },
    });
    await call.speaks(1_000);
    await call.goOn(600);
    call.call.left();
    await call.goOn(200);
    const before = call.sentFrames();
    expect(call.ended()).toBeNull();
    answered.resolve();
    await call.goOn(200);
    expect([ran, call.ended(), call.pressed, call.secondLine]).toEqual([['opt_out'], 'left', [], []]);
    expect([call.sentFrames(), call.dialogue()]).toEqual([
      before,
      ['person: I would rather not hear from you.'],
    ]);
  });
});

describe('a process that ends', () => {
  const farewell = 'agent: I must go.';

  test.each([
    [
      'while the agent speaks',
      { answer: () => steps({ kind: 'say', text: 'One.' }, { kind: 'say', text: 'Two.' }) },
    ],
    ['while the model thinks', { answer: (_: string, signal: AbortSignal) => waiting(signal) }],
  ])('says so, and hangs up: %s', async (_, args) => {
    const call = callWith({ transcripts: ['Well?'], ...args });
    await call.speaks(1_000);
    await call.goOn(700);
    call.call.sayFarewell('process_ended');
    await call.goOn(1_500);
    expect([call.dialogue().at(-1), call.ended()]).toEqual([farewell, 'process_ended']);
    expect(call.countsAs()[0]).toEqual({ outcome: 'failed', reason: 'process_ended' });
  });

  test('lets an agent finish that already says goodbye', async () => {
    const call = callWith({
      transcripts: ['Goodbye.'],
      answer: () => steps({ kind: 'say', text: 'Bye.' }, { kind: 'end_call', reason: 'agent_done' }),
    });
    await call.speaks(1_000);
    await call.goOn(700);
    call.call.sayFarewell('process_ended');
    await call.goOn(1_500);
    expect([call.dialogue().at(-1), call.ended(), call.countsAs()]).toEqual([
      'agent: Bye.',
      'agent_done',
      [],
    ]);
  });

  test('hangs up if it has no voice to say so', async () => {
    const call = callWith({
      speak: () => {
        throw new Error('500');
      },
    });
    call.call.sayFarewell('process_ended');
    await call.goOn(40);
    expect([call.ended(), call.countsAs().length > 0]).toEqual(['process_ended', true]);
  });
});

async function* waiting(signal: AbortSignal): AsyncGenerator<ConversationStep> {
  await new Promise((resolve) => signal.addEventListener('abort', resolve));
  yield* steps();
}

describe('a number that nobody has', () => {
  test('is hung up on by its tones, and counts as such', async () => {
    const call = callWith({ greeting: 'Hello, this is Ada. I call about your book.' });
    await call.hears(silence(200));
    for (const hz of [950, 1_400, 1_800]) {
      await call.hears(tone(hz, 330));
      await call.hears(silence(20));
    }
    await call.goOn(300);
    expect([call.ended(), call.heardByModel, call.machines()]).toEqual(['unused_number', [], 0]);
    expect(call.countsAs()[0]).toEqual({ outcome: 'invalid_number', reason: 'unused_number' });
  });

  test('is hung up on by its words', async () => {
    const call = callWith({ transcripts: ['The number you have dialed is not in service.'] });
    await call.speaks(3_000);
    await call.goOn(600);
    expect([call.ended(), call.heardByModel]).toEqual(['unused_number', []]);
    expect(call.countsAs()[0]?.outcome).toBe('invalid_number');
  });
});

describe('a long greeting', () => {
  const greeting =
    'Hello, this is Ada. I call about your book. It waits at the desk. Would you like to keep it?';

  test.each(['Stop.', 'No, not interested', 'Wait.', 'Nein!'])(
    'ends within 1.2 seconds of the words: %s',
    async (words) => {
      const call = callWith({ greeting, transcripts: [words] });
      await call.goOn(800);
      await call.speaks(500);
      await call.goOn(700);
      expect(call.dialogue()[0]).toMatch(/^agent: Hello, this is Ada\..* —$/);
      expect(call.heardByModel).toEqual([words]);
    },
  );

  test.each(['Hello?', 'Hello, who is this?', 'Ann Smith.', 'okay'])('goes on after %s', async (words) => {
    const call = callWith({ greeting, transcripts: [words] });
    await call.goOn(200);
    await call.speaks(500);
    await call.goOn(4_000);
    expect(call.dialogue()).toContain(`agent: ${greeting}`);
  });

  test('with a disclosure is not said again to a person who wants no more calls', async () => {
    const disclosure = 'This is Ada. Say stop to get no more calls.';
    const call = callWith({
      greeting: `${disclosure} It is about your book. Would you like to keep it?`,
      disclosure,
      transcripts: ['Stop.'],
      answer: () => steps({ kind: 'say', text: 'Done.' }),
    });
    await call.goOn(500);
    await call.speaks(400);
    await call.goOn(2_500);
    expect([call.dialogue().at(-1), call.optOuts()]).toEqual(['agent: No more calls.', 1]);
  });
});

describe('a person who wants no more calls', () => {
  const greeting = 'Hello, this is Ada. It is about your book. Would you like to keep it?';

  test('by words hears a fixed sentence, no model is asked, and the call ends', async () => {
    const call = callWith({
      greeting,
      transcripts: ['Please do not call me again.', 'And why do you call?'],
      answer: () => steps({ kind: 'say', text: 'But wait.' }),
    });
    await call.goOn(4_000);
    await call.speaks(1_000);
    await call.goOn(1_200);
    // The sentence goes on over what they say.
    await call.speaks(400);
    await call.goOn(2_000);
    expect(call.dialogue()).toContain('agent: No more calls.');
    expect([call.heardByModel, call.optOuts(), call.ended(), call.countsAs()]).toEqual([
      [],
      1,
      'opted_out',
      [],
    ]);
  });

  test('by words in a long greeting hears it within 1.2 seconds of them', async () => {
    const call = callWith({ greeting, transcripts: ['stop calling me'] });
    await call.goOn(800);
    await call.speaks(500);
    await call.goOn(700);
    expect(call.dialogue()[0]).toMatch(/^agent: Hello, this is Ada\..* —$/);
    await call.goOn(1_500);
    expect([call.dialogue().at(-1), call.ended()]).toEqual(['agent: No more calls.', 'opted_out']);
  });

  test('by the key hears it at once, in the middle of the greeting', async () => {
    const call = callWith({ greeting, optOutKey: '9' });
    await call.goOn(700);
    call.call.key('9');
    await call.goOn(2_000);
    expect(call.dialogue()).toEqual(['agent: Hello, this —', 'agent: No more calls.']);
    expect([call.keysAnswered, call.optOuts(), call.ended()]).toEqual([[], 1, 'opted_out']);
  });

  test('and presses another key is answered', async () => {
    const call = callWith({ greeting: null, optOutKey: '9' });
    await call.goOn(700);
    call.call.key('8');
    await call.goOn(2_000);
    expect([call.keysAnswered, call.optOuts(), call.ended()]).toEqual([['8'], 0, null]);
  });
});

describe('a noise that stops the agent', () => {
  const greeting = 'One two three four. Five six seven eight. Nine ten eleven twelve.';

  test('is taken back: the agent says the rest, which the conversation knows', async () => {
    const call = callWith({ greeting, transcripts: [''] });
    await call.goOn(1_000);
    await call.speaks(1_800);
    await call.goOn(5_000);
    const [first = '', rest = ''] = call.dialogue();
    expect(`${first.replace(/^agent: | —$/g, '')} ${rest.replace('agent: ', '')}`).toBe(greeting);
    expect(call.rests()).toEqual([rest.replace('agent: ', '')]);
  });

  test('before the model has written its answer makes the model go on', async () => {
    let asked = 0;
    const call = callWith({
      transcripts: ['Well?', ''],
      async *answer(_, signal) {
        asked += 1;
        if (asked === 1) await new Promise((resolve) => signal.addEventListener('abort', resolve));
        else yield { kind: 'say', text: 'Well.' };
      },
    });
    await call.speaks(1_000);
    await call.goOn(700);
    await call.speaks(1_000);
    await call.goOn(2_000);
    expect(call.heardByModel[1]).toMatch(/^\[A noise interrupted you/);
    expect(call.dialogue().at(-1)).toContain('Well.');
  });

  test('in a disclosure makes the agent say all of it again, and then the rest', async () => {
    const disclosure = 'One two three four. Five six seven eight.';
    const call = callWith({ greeting, disclosure, transcripts: [''] });
    await call.goOn(100);
    await call.speaks(1_800);
    await call.goOn(6_000);
    expect(call.dialogue().at(-1)).toBe(`agent: ${greeting}`);
    call.call.left();
    await call.goOn(40);
    expect(call.undisclosed()).toBe(0);
  });
});
