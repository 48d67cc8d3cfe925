import { defineTool } from '@outdial/voice';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { talk, words } from './talk.ts';

const never = new AbortController().signal;
const roles = (messages: ReadonlyArray<{ role: string; content: string | null }>) =>
  messages.map(({ role, content }) => [role, content]);

/** A tool that returns its arguments. */
const echo = (run: (signal: AbortSignal) => Promise<string> = async () => 'done', runsToEnd = false) =>
  defineTool({
    name: 'echo',
    description: 'Says it again',
    input: z.strictObject({ word: z.string().max(20) }),
    runsToEnd,
    run: async ({ word }, signal) => ({ text: `${word}: ${await run(signal)}` }),
  });

describe('an answer', () => {
  test('comes sentence by sentence, from a model with the prompt, the speaking rules and the guard', async () => {
    const { say, requests, figures } = await talk([{ say: 'Hello Ada. How are you?' }], {
      prompt: 'You are Anna. You call {{name}}.',
      promptParams: { name: 'Ada' },
      mitigation: 'Offer to call back.',
      harmfulIntents: ['card numbers', { name: 'threats', description: 'to anybody' }],
      voice: { language: 'de' },
    });
    expect(words(await say('Yes?'))).toEqual(['Hello Ada.', 'How are you?']);
    const [request] = requests;
    expect(request).toMatchObject({ model: 'scripted', max_tokens: 400, authorization: 'Bearer the-key' });
    const system = request?.messages[0]?.content ?? '';
    expect(system).toMatch(/^You are Anna\. You call Ada\.\n/);
    expect(system).toContain('Speak German');
    expect(system).toMatch(
      /do not go along with it:\n- card numbers\n- threats: to anybody\nOffer to call back\.$/,
    );
    expect(request?.messages.at(-1)).toEqual({ role: 'user', content: 'Yes?' });
    expect(figures).toMatchObject([{ endpoint: 'model0', promptTokens: 10, answerTokens: 5 }]);
  });

  test('ends without an error when it is cut off, and the history has the words that were heard', async () => {
    const { conversation, requests } = await talk([
      { say: 'We are open from nine to five. On Sundays we are closed. Anything else?', hangAfter: 70 },
      { say: 'Yes.' },
    ]);
    const cut = new AbortController();
    const heard: string[] = [];
    for await (const step of conversation.reply('When are you open?', cut.signal)) {
      if (step.kind === 'say') heard.push(step.text);
      if (heard.length === 2) cut.abort();
    }
    expect(heard).toEqual(['We are open from nine to five.', 'On Sundays we are closed.']);
    conversation.heard('We are open from nine');
    await Array.fromAsync(conversation.reply('On Sundays too?', never));
    expect(roles(requests[1]?.messages.slice(1) ?? [])).toEqual([
      ['user', 'When are you open?'],
      ['assistant', 'We are open from nine'],
      ['user', 'On Sundays too?'],
    ]);
  });

  test('is not added to once it was cut off', async () => {
    const { conversation, requests } = await talk([{ say: 'One. Two. Three.' }, { say: 'Yes.' }]);
    const steps = conversation.reply('Count', never)[Symbol.asyncIterator]();
    await steps.next();
    conversation.heard('');
    while ((await steps.next()).done !== true);
    await Array.fromAsync(conversation.reply('Stop', never));
    expect(roles(requests[1]?.messages.slice(1) ?? [])).toEqual([
      ['user', 'Count'],
      ['user', 'Stop'],
    ]);
  });

  test('greeting, silence and keys are part of the history', async () => {
    const { conversation, requests } = await talk([{ say: 'Three it is.' }], {
      voice: { greeting: 'Hello {{name}}.', idle: { prompts: ['Are you there, {{name}}?'] } },
      promptParams: { name: 'Ada' },
    });
    expect(await conversation.greeting()).toBe('Hello Ada.');
    expect([conversation.idle(1), conversation.idle(2)]).toEqual(['Are you there, Ada?', null]);
    const cut = new AbortController();
    cut.abort();
    await Array.fromAsync(conversation.replyToKeys('1', cut.signal));
    await Array.fromAsync(conversation.replyToKeys('3', never));
    expect(roles(requests.at(-1)?.messages.slice(1) ?? [])).toEqual([
      ['assistant', 'Hello Ada.'],
      ['assistant', 'Are you there, Ada?'],
      ['user', '[pressed 1 3]'],
    ]);
  });

  test('a long call sends its newest turns only, whole', async () => {
    const { say, requests } = await talk(() => ({ say: 'Indeed.' }));
    for (let turn = 0; turn < 9; turn++) await say(`${turn}: ${'x'.repeat(3_900)}`);
    const messages = requests.at(-1)?.messages ?? [];
    expect(messages[0]?.role).toBe('system');
    expect(messages[1]?.content).toMatch(/^3: /);
    expect(messages.at(-1)?.content).toMatch(/^8: /);
    expect(JSON.stringify(messages).length).toBeLessThan(28_000);
  });
});

describe('tools', () => {
  test('run with validated arguments, and the model continues with their results', async () => {
    const { say, requests } = await talk(
      [{ say: 'One moment.', tools: [{ name: 'echo', arguments: { word: 'tea' } }] }, { say: 'It is tea.' }],
      { tools: [echo()] },
    );
    expect(await say('What is it?')).toEqual([
      { kind: 'say', text: 'One moment.' },
      { kind: 'working', tool: 'echo' },
      { kind: 'say', text: 'It is tea.' },
    ]);
    expect(requests[0]?.tools).toMatchObject([
      { function: { name: 'echo', parameters: { required: ['word'], additionalProperties: false } } },
    ]);
    expect(roles(requests[1]?.messages.slice(2) ?? [])).toEqual([
      ['assistant', 'One moment.'],
      ['tool', 'tea: done'],
    ]);
  });

  test.each([
    ['{"word": 5}', /arguments are invalid\. word/],
    ['{"wo', /arguments are invalid/],
    ['{"word": "x", "more": 1}', /arguments are invalid/],
  ])('arguments %s are reported to the model', async (given, said) => {
    const { say, requests } = await talk([{ tools: [{ name: 'echo', arguments: given }] }, { say: 'Hm.' }], {
      tools: [echo()],
    });
    await say('Go');
    expect(requests[1]?.messages.at(-1)?.content).toMatch(said);
  });

  test('an unknown one, and endless rounds, end in words', async () => {
    const { say, requests } = await talk(
      ({ tools }) => (tools === undefined ? { say: 'Enough.' } : { tools: [{ name: 'other' }] }),
      { tools: [echo()] },
    );
    expect(words(await say('Go'))).toEqual(['Enough.']);
    expect(requests).toHaveLength(7);
    expect(requests[1]?.messages.at(-1)?.content).toBe('There is no tool other.');
  });

  test('are aborted if the person speaks, unless they must finish', async () => {
    for (const runsToEnd of [false, true]) {
      const cut = new AbortController();
      const begun = Promise.withResolvers<undefined>();
      const tool = echo(async (signal) => {
        begun.resolve(undefined);
        await Promise.resolve();
        return signal.aborted ? 'aborted' : 'not aborted';
      }, runsToEnd);
      const { conversation, requests } = await talk(
        [{ tools: [{ name: 'echo', arguments: { word: 'tea' } }] }, { say: 'Fine.' }],
        { tools: [tool] },
      );
      void begun.promise.then(() => cut.abort());
      await Array.fromAsync(conversation.reply('Go', cut.signal));
      conversation.heard('');
      await Array.fromAsync(conversation.reply('And?', never));
      const answer = requests[1]?.messages.find(({ role }) => role === 'tool')?.content;
      expect(answer).toMatch(runsToEnd ? /^tea: not aborted$/ : /spoke before it finished/);
    }
  });
});

describe('endpoints', () => {
  test.each([
    ['refuses', { status: 500 }, 'status_500'],
    ['is silent', { hangAfter: 0 }, 'silent_too_long'],
    ['is cut off', { cutAfter: 0 }, 'broke_off'],
  ])('if one %s the next one answers', async (_name, answer, reason) => {
    const silentMs = reason === 'silent_too_long' ? 500 : 30_000;
    const { say, failures } = await talk([[answer], [{ say: 'Hello.' }]], { silentMs });
    expect(words(await say('Hi'))).toEqual(['Hello.']);
    expect(failures.map((failure) => [failure.endpoint, failure.reason])).toEqual([['model0', reason]]);
  });

  test('if one breaks off in mid-sentence the next one continues, and is then preferred', async () => {
    const { say, requests } = await talk([
      [{ say: 'We open at nine. On Sun', cutAfter: 23 }],
      ({ messages }) => ({
        say: messages.some(({ content }) => content === 'We open at nine. On Sun') ? 'days we rest.' : 'Bye.',
      }),
    ]);
    expect(words(await say('When?'))).toEqual(['We open at nine.', 'On Sundays we rest.']);
    expect(words(await say('Thanks'))).toEqual(['Bye.']);
    expect(requests).toHaveLength(1);
  });
});

describe('after the call', () => {
  const schema = {
    type: 'object',
    properties: { arrived: { type: 'boolean' }, on: { type: ['string', 'null'], maxLength: 20 } },
    required: ['arrived'],
    additionalProperties: false,
  };
  const json = (value: unknown) => ({ say: JSON.stringify(value) });
  const hello = { say: 'Has it arrived?' };

  test('returns the fields of the schema, and a summary', async () => {
    const { conversation, say, requests } = await talk(
      [hello, json({ summary: 'It came.', extract: { arrived: true, on: 'Monday' } })],
      { voice: { extract: { schema } } },
    );
    await say('Hello?');
    expect(await conversation.wrapUp(never)).toEqual({
      extract: { arrived: true, on: 'Monday' },
      summary: 'It came.',
    });
    expect(requests[1]?.messages[1]?.content).toBe('person: Hello?\nagent: Has it arrived?');
    expect(requests[1]?.response_format).toMatchObject({ type: 'json_schema' });
  });

  test('a server without response formats is asked without one, and text around the object is ignored', async () => {
    const { conversation, say, requests } = await talk(
      (request) =>
        request.response_format !== undefined
          ? { status: 400 }
          : request.messages.length === 2 && requests.length > 1
            ? { say: 'Sure:\n```json\n{"summary": "S", "extract": {"arrived": false}}\n```' }
            : hello,
      { voice: { extract: { schema } } },
    );
    await say('Hello?');
    expect(await conversation.wrapUp(never)).toEqual({ extract: { arrived: false }, summary: 'S' });
  });

  test('an answer that does not match is requested once more, and not stored', async () => {
    const wrong = json({ summary: 'S', extract: { arrived: 'maybe' } });
    const { conversation, say, notes, requests } = await talk([hello, wrong, wrong], {
      voice: { extract: { schema } },
    });
    await say('Hello?');
    expect(await conversation.wrapUp(never)).toEqual({ extract: null, summary: 'S' });
    expect(requests[2]?.messages.at(-1)?.content).toContain('extract.arrived');
    expect(notes).toEqual([{ type: 'extract_failed', reason: 'no_match' }]);
  });

  test('no model is asked if the person said nothing', async () => {
    const { conversation, requests } = await talk([], { voice: { greeting: 'Hello.', extract: { schema } } });
    await conversation.greeting();
    expect(await conversation.wrapUp(never)).toEqual({ extract: null, summary: null });
    expect(requests).toEqual([]);
  });
});
