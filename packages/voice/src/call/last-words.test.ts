import { describe, expect, test } from 'vitest';
import type { ConversationStep } from '../conversation/conversation.ts';
import { callWith, steps } from './call.fixture.ts';

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
    expect(call.optOutWords()).toEqual(['I told you, and do not call me again.']);
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
        yield { kind: 'transfer', target: 'the office', to: '+12125550190', mode: 'cold' };
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

  test('by words that a realtime model transcribes late hears it then', async () => {
    const late = Promise.withResolvers<string>();
    const call = callWith({
      greeting,
      transcripts: ['…'],
      lateWords: late.promise,
      answer: () => steps({ kind: 'say', text: 'Why not? It is a good book.' }),
    });
    await call.goOn(4_000);
    await call.speaks(1_000);
    await call.goOn(1_200);
    expect(call.optOuts()).toBe(0);
    late.resolve('Do not call me again.');
    await call.goOn(2_500);
    expect([call.dialogue().at(-1), call.optOuts(), call.ended()]).toEqual([
      'agent: No more calls.',
      1,
      'opted_out',
    ]);
  });

  test('by the key hears it at once, in the middle of the greeting', async () => {
    const call = callWith({ greeting, optOutKey: '9' });
    await call.goOn(700);
    call.call.key('9');
    await call.goOn(2_000);
    expect(call.dialogue()).toEqual(['agent: Hello, this —', 'agent: No more calls.']);
    expect([call.keysAnswered, call.optOutWords(), call.ended()]).toEqual([[], [null], 'opted_out']);
  });

  test('and presses another key is answered', async () => {
    const call = callWith({ greeting: null, optOutKey: '9' });
    await call.goOn(700);
    call.call.key('8');
    await call.goOn(2_000);
    expect([call.keysAnswered, call.optOuts(), call.ended()]).toEqual([['8'], 0, null]);
  });
});
