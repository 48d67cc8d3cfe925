import { describe, expect, test } from 'vitest';
import { callWith, type FakeCall, steps } from './call.fixture.ts';
import { createTakesCall } from './takes-call.ts';

const office = { kind: 'transfer', target: 'the office', to: '+12125550190', mode: 'warm' } as const;
const connect = { kind: 'say', text: 'I connect you.' } as const;

/** A call whose agent talks with the target, who has just answered. */
async function briefing(args: Partial<FakeCall> = {}) {
  /** What the provider did, with how many frames were sent until then. */
  const order: string[] = [];
  const target = new AbortController();
  const call = callWith({
    answer(heard) {
      if (heard.includes('is on the line')) return steps({ kind: 'say', text: 'Ann, about her order.' });
      if (heard.startsWith('[')) return steps({ kind: 'say', text: 'Nobody is there.' });
      return heard.includes('office') ? steps(connect, office) : steps();
    },
    async transfer(_, signal, brief) {
      const join = () => {
        order.push(`on hold after: ${call.spoken.join(' ')}`);
        return Promise.resolve(true);
      };
      const isTaken = (await brief?.(join, AbortSignal.any([signal, target.signal]))) ?? false;
      order.push(isTaken ? 'joined' : 'back');
      return isTaken ? 'connected' : 'not_taken';
    },
    ...args,
    transcripts: ['The office, please.', ...(args.transcripts ?? [])],
  });
  await call.speaks(1_000);
  await call.goOn(600);
  // The person hears all of "I connect you", and the target the sentence and the question: a second each.
  await call.goOn(3_400);
  return { ...call, order, targetLeaves: () => target.abort() };
}

const told = ['I connect you.', 'Ann, about her order.', 'Press one or say yes.'];

describe('the target of a warm transfer', () => {
  test('is told who calls and asked, while the person is on hold, after the last words to them', async () => {
    const call = await briefing();
    expect(call.order).toEqual(['on hold after: I connect you.']);
    expect(call.spoken).toEqual(told);
    expect(call.dialogue()).toEqual(['person: The office, please.']);
  });

  test('takes the call with a key, and nothing of the briefing is in the transcript', async () => {
    const call = await briefing();
    call.call.key('1');
    await call.goOn(400);
    expect(call.order.at(-1)).toBe('joined');
    expect(call.dialogue()).toEqual(['person: The office, please.', 'agent: I connect you.']);
    expect([call.ended(), call.results]).toEqual(['transferred', ['connected']]);
    expect(call.secondLine).toEqual(['reserved']);
  });

  test.each(['Yes.', 'Yes, please.', 'Okay, put her through.', 'Ja, gerne.', 'Oui.'])(
    'takes the call by saying %j',
    async (words) => {
      const call = await briefing({ transcripts: [words] });
      await call.speaks(600);
      await call.goOn(1_000);
      expect([call.ended(), call.results]).toEqual(['transferred', ['connected']]);
      // A live recognizer has heard what it transcribes.
      expect(call.heardLive.at(-1)).toBeGreaterThan(600);
      expect(call.dialogue()).toEqual(['person: The office, please.', 'agent: I connect you.']);
    },
  );

  test.each([
    'No, not now.',
    'You have reached the office. Please leave a message after the tone.',
    'Please stay on the line and record your name, and I will see if this person is available.',
  ])('does not take it by saying %j', async (words) => {
    const call = await briefing({ transcripts: [words] });
    await call.speaks(1_500);
    await call.goOn(1_000);
    expect(call.order.at(-1)).toBe('back');
    expect(call.heardByModel.at(-1)).toContain('nobody took the call');
    await call.goOn(1_500);
    expect(call.spoken.at(-1)).toBe('Nobody is there.');
    expect([call.ended(), call.machines(), call.secondLine]).toEqual([null, 0, ['reserved', 'released']]);
  });

  test('is asked once more after other words or silence, and then the person is back', async () => {
    const call = await briefing({ transcripts: ['Who is this?'] });
    await call.speaks(800);
    await call.goOn(2_000);
    expect(call.spoken).toEqual([...told, 'Press one or say yes.']);
    await call.goOn(6_000);
    expect(call.order.at(-1)).toBe('back');
  });

  test('is not taken for a colleague by a "yes" before the question', async () => {
    const call = await briefing({
      transcripts: ['Yes?'],
      async *answer(heard) {
        if (heard.includes('office') && !heard.startsWith('[')) yield* steps(office);
        else await new Promise(() => undefined);
      },
    });
    await call.speaks(600);
    await call.goOn(1_000);
    expect(call.order).toEqual(['on hold after: ']);
    expect(call.ended()).toBeNull();
  });

  test('may hang up, and the person is back with the agent, who hears them again', async () => {
    const call = await briefing({ transcripts: ['Then goodbye.'] });
    call.targetLeaves();
    await call.goOn(1_500);
    expect([call.order.at(-1), call.spoken.at(-1)]).toEqual(['back', 'Nobody is there.']);
    await call.speaks(1_000);
    await call.goOn(600);
    expect(call.dialogue()).toEqual([
      'person: The office, please.',
      'agent: I connect you. Nobody is there.',
      'person: Then goodbye.',
    ]);
  });

  test('suppresses nobody by what they say or press', async () => {
    const call = await briefing({ transcripts: ['Do not call me again.'], optOutKey: '9' });
    call.call.key('9');
    await call.speaks(1_200);
    await call.goOn(1_000);
    expect([call.optOuts(), call.ended()]).toEqual([0, null]);
  });

  test('is left alone if the person hangs up on hold', async () => {
    const call = await briefing();
    call.call.left();
    await call.goOn(100);
    expect([call.ended(), call.order.at(-1)]).toEqual(['left', 'back']);
    expect(call.secondLine).toEqual(['reserved', 'released']);
  });
});

test.each([
  ['Yes.', 'takes'],
  ['Yeah, sure.', 'takes'],
  ["Okay, I'll take it.", 'takes'],
  ['Sure, put them through, please.', 'takes'],
  ['Yes, go ahead, thank you.', 'takes'],
  ["That's fine, connect me.", 'takes'],
  ['Ja, bitte.', 'takes'],
  ['Sí, claro.', 'takes'],
  ['No.', 'refuses'],
  ["Sorry, I'm busy.", 'refuses'],
  ["I can't right now.", 'refuses'],
  ['Nein, nicht jetzt.', 'refuses'],
  ['Hi, this is Bob. Please leave a message.', 'refuses'],
  ['Yes, who is this?', 'ask_again'],
  ['Okay, what is it about?', 'ask_again'],
  ['Hello?', 'ask_again'],
] as const)('%j: %s', (text, found) => {
  const answer = createTakesCall(0);
  answer.asks(1_000);
  expect(answer.said(text, 2_000)).toBe(found);
});
