import { describe, expect, test } from 'vitest';
import { keyTones } from '../audio/key-tones.ts';
import { fromMuLaw, toMuLaw } from '../audio/mu-law.ts';
import { callWith, steps } from './call.fixture.ts';

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

describe('a long greeting', () => {
  const greeting =
    'Hello, this is Ada. I call about your book. It waits at the desk. Would you like to keep it?';

  test.each([
    'Stop.',
    'No, not interested',
    'Wait.',
    "I'm busy right now.",
    'Nein!',
    'Ahora no.',
    'Je n’ai pas le temps.',
  ])('ends within 1.2 seconds of the words: %s', async (words) => {
    const call = callWith({ greeting, transcripts: [words] });
    await call.goOn(800);
    await call.speaks(500);
    await call.goOn(700);
    expect(call.dialogue()[0]).toMatch(/^agent: Hello, this is Ada\..* —$/);
    expect(call.heardByModel).toEqual([words]);
  });

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
