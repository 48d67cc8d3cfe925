import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createDialects } from '../language-model/index.ts';
import {
  called,
  type ChatBody,
  chunk,
  goesOn,
  isAfterTool,
  type Reaction,
  talkWith,
} from './server-habits.fixture.ts';

/** A server that answers like this, and goes on after tools. */
const answers = (reaction: Reaction) => (body: ChatBody) => (isAfterTool(body) ? goesOn : reaction);
const calls = (...parts: object[]) => [
  ...parts.map((part) => chunk({ tool_calls: [part] })),
  chunk({}, 'tool_calls'),
];
/** What a person hears who will not be called again. */
const farewell = ['I understand. You will get no more calls from us. Goodbye.', '(ends: opted_out)'];
const one = '{"text":"one"}';
const two = '{"text":"two"}';
const both = ['note {"text":"one"}', 'note {"text":"two"}'];

describe('several tool calls of one answer are told apart', () => {
  const part = (
    id: string | undefined,
    index: number | undefined,
    name: string | undefined,
    given?: unknown,
  ) => ({
    ...(id !== undefined && { id }),
    ...(index !== undefined && { index }),
    type: 'function',
    function: { ...(name !== undefined && { name }), ...(given !== undefined && { arguments: given }) },
  });
  test.each([
    ['all with the number 0', calls(part('a', 0, 'note', one), part('b', 0, 'note', two))],
    [
      'all with the number 0, in one chunk',
      [chunk({ tool_calls: [part('a', 0, 'note', one), part('b', 0, 'note', two)] }, 'tool_calls')],
    ],
    ['without numbers', calls(part('a', undefined, 'note', one), part('b', undefined, 'note', two))],
    ['without ids, all with the number 0', calls(part(undefined, 0, 'note', one), part('', 0, 'note', two))],
    ['numbered, without ids', calls(part(undefined, 0, 'note', one), part(undefined, 1, 'note', two))],
    ['numbered, all with one id', calls(part('a', 0, 'note', one), part('a', 1, 'note', two))],
    [
      'with the id in each piece',
      calls(part('a', 0, 'note', '{"text":'), part('a', 0, 'note', '"one"}'), part('b', 1, 'note', two)),
    ],
    [
      'with empty ids in later pieces',
      calls(part('a', 0, 'note', '{"text":'), part('', 0, '', '"one"}'), part('b', 1, 'note', two)),
    ],
    [
      'with an id for each piece',
      calls(part('a', 0, 'note', '{"text":'), part('x', 0, undefined, '"one"}'), part('b', 0, 'note', two)),
    ],
    [
      'in turns',
      calls(
        part('a', 0, 'note', '{"text":'),
        part('b', 1, 'note', '{"text":'),
        part('a', 0, undefined, '"one"}'),
        part('b', 1, undefined, '"two"}'),
      ),
    ],
    [
      'with objects as arguments',
      calls(part('a', 0, 'note', { text: 'one' }), part('b', 0, 'note', { text: 'two' })),
    ],
    ['with a large number', calls(part('a', 4_000, 'note', one), part('b', 4_001, 'note', two))],
  ])('%s', async (_, reaction) => {
    const { say, ran, bodies } = await talkWith(answers(reaction));
    expect(await say()).toEqual(['After the tools.']);
    expect(ran).toEqual(both);
    const sent = bodies.at(-1)?.messages.at(-3);
    const ids = z
      .array(z.object({ id: z.string() }))
      .parse(sent?.['tool_calls'])
      .map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
    expect(
      bodies
        .at(-1)
        ?.messages.slice(-2)
        .map((each) => each['tool_call_id']),
    ).toEqual(ids);
  });

  test('without arguments', async () => {
    const { say, ran } = await talkWith(
      answers(calls(part(undefined, 0, 'opt_out'), part(undefined, 0, 'ping', ''))),
    );
    expect(await say()).toEqual(farewell);
    expect(ran).toEqual(['opt_out asked on a call']);
  });
});

test('after an opt-out whose confirmation was cut, the person hears it again, and no model is asked', async () => {
  const { say, bodies, conversation } = await talkWith(answers(calls(called('opt_out', '{}'))));
  const spoke = new AbortController();
  for await (const step of conversation.reply('Leave me alone.', spoke.signal)) {
    if (step.kind === 'say') spoke.abort();
  }
  expect(await say('What was that?')).toEqual(farewell);
  expect(bodies).toHaveLength(1);
});

describe('an opt-out is never refused for its form', () => {
  test.each([
    ['null as reason', '{"reason": null}', 'asked on a call'],
    ['a number as reason', '{"reason": 5}', 'asked on a call'],
    ['an empty reason', '{"reason": "  "}', 'asked on a call'],
    ['fields of its own', '{"phone_number": "+15551230000", "reason": "asked"}', 'asked'],
    ['broken JSON', '{"reason": "asked', 'asked on a call'],
    ['JSON within JSON', '"{\\"reason\\": \\"asked\\"}"', 'asked'],
    ['a list', '[]', 'asked on a call'],
    ['no JSON', 'asked', 'asked on a call'],
    ['nothing', '', 'asked on a call'],
    ['a long reason', JSON.stringify({ reason: 'x'.repeat(5_000) }), 'x'.repeat(200)],
  ])('%s', async (_, given, reason) => {
    const { say, ran, bodies } = await talkWith(answers(calls(called('opt_out', given))));
    expect(await say()).toEqual(farewell);
    expect(bodies).toHaveLength(1);
    expect(ran).toEqual([`opt_out ${reason}`]);
  });

  test.each([
    ['before the call ends', [called('opt_out', '{}'), called('end_call', '{"reason":"bye"}')], farewell],
    ['after the call ends', [called('end_call', '{"reason":"bye"}'), called('opt_out', '{}')], farewell],
    [
      'after many others',
      [
        ...Array.from({ length: 9 }, (_, nth) => called('note', `{"text":"${'x'.repeat(nth)}"}`)),
        called('opt_out', '{}'),
      ],
      farewell,
    ],
  ])('%s', async (_, parts, steps) => {
    const { say, ran } = await talkWith(answers(calls(...parts)));
    expect(await say()).toEqual(steps);
    expect(ran[0]).toBe('opt_out asked on a call');
  });

  test.each(['{"reason": null}', '', '{"reason": "bye'])('nor is the end of a call: %s', async (given) => {
    const { say } = await talkWith(
      answers([chunk({ content: 'Bye now.' }), ...calls(called('end_call', given))]),
    );
    expect(await say()).toEqual(['Bye now.', '(ends: agent_done)']);
  });
});

test('a tool with effects waits until the person has surely ended, and does not run if they go on', async () => {
  const spoke = new AbortController();
  const waits: number[] = [];
  const { say, ran } = await talkWith(answers(calls(called('book', '{}'))), {
    pause(ms) {
      waits.push(ms);
      if (waits.length === 1) spoke.abort();
      return Promise.resolve();
    },
  });
  await say('A table for', spoke.signal);
  expect(ran).toEqual([]);
  expect(await say('four.')).toEqual(['After the tools.']);
  expect(ran).toEqual(['book {}']);
  for (const ms of waits) expect(ms).toBeLessThanOrEqual(1_300);
  expect(waits[0]).toBeGreaterThan(0);
});

test('a model that says nothing is asked once more, and then the person is asked', async () => {
  const { say, bodies } = await talkWith(() => [chunk({ content: '' }, 'content_filter')]);
  expect(await say()).toEqual(['Sorry, could you say that again?']);
  expect(bodies).toHaveLength(2);
});

test('once the person has left, only an opt-out is still carried out', async () => {
  const { say, ran, conversation, bodies } = await talkWith((body) => {
    conversation.left();
    return answers(calls(called('note', one), called('opt_out', '{}'), called('end_call', '{}')))(body);
  });
  expect(await say()).toEqual([]);
  expect([ran, bodies.length]).toEqual([['opt_out asked on a call'], 1]);
});

test('null for a value that may be left out is as if it was left out', async () => {
  const { say, ran } = await talkWith(answers(calls(called('note', '{"text": "one", "more": null}'))));
  await say();
  expect(ran).toEqual(['note {"text":"one"}']);
});

describe('fields that only the server knows', () => {
  const signed = { extra_content: { google: { thought_signature: 'SIG' } } };

  test.each([
    [
      'of a tool call',
      answers(calls(called('note', one, signed))),
      'extra_content',
      (body: ChatBody) => JSON.stringify(body).includes('"SIG"'),
    ],
    [
      'of a message',
      answers([
        chunk({ reasoning_content: 'I should ' }),
        chunk({ reasoning_content: 'note it.' }),
        ...calls(called('note', one)),
      ]),
      'reasoning_content',
      ({ messages }: ChatBody) => messages.some((each) => each['reasoning_content'] === 'I should note it.'),
    ],
  ])('%s come back as they were', async (_, habit, __, isThere) => {
    const { say } = await talkWith((body) => {
      if (isAfterTool(body) && !isThere(body)) {
        return { status: 400, body: { error: { message: 'Missing.', param: null } } };
      }
      return habit(body);
    });
    expect(await say()).toEqual(['After the tools.']);
  });

  test('are not sent in later turns, nor to a server that refuses them', async () => {
    const { say, bodies } = await talkWith((body) => {
      if (JSON.stringify(body).includes('"SIG"')) {
        return { status: 422, body: { detail: [{ type: 'extra_forbidden', loc: ['body', 'messages', 2] }] } };
      }
      return answers(calls(called('note', one, signed)))(body);
    });
    expect(await say()).toEqual(['After the tools.']);
    const before = bodies.length;
    expect(await say('And?')).toEqual(['After the tools.']);
    expect(bodies.slice(before).filter((body) => JSON.stringify(body).includes('"SIG"'))).toEqual([]);
  });

  test.each(['', '{"text": "on', '[1]'])(
    'arguments in the history are always a JSON object: %j',
    async (given) => {
      const { say, bodies } = await talkWith(answers(calls(called('ping', given))));
      expect(await say()).toEqual(['After the tools.']);
      expect(JSON.stringify(bodies.at(-1)?.messages.at(-2))).toContain('"arguments":"{}"');
    },
  );
});

describe('what is not meant for the person is not spoken', () => {
  const inPieces = (text: string, letters: number) => [
    ...Array.from({ length: Math.ceil(text.length / letters) }, (_, nth) =>
      chunk({ content: text.slice(nth * letters, (nth + 1) * letters) }),
    ),
    chunk({}, 'stop'),
  ];

  describe.each([1, 3, 1_000])('in pieces of %i letters', (letters) => {
    test.each([
      ['<think>\nA secret. Upsell!\n</think>\n\nHello there.', ['Hello there.']],
      ['<THINKING>A secret.</thinking>Hello there.', ['Hello there.']],
      ['[THINK]A secret.[/THINK]Hello there.', ['Hello there.']],
      ['Well. <think>A secret.</think> Hello there.', ['Well.', 'Hello there.']],
      ['<think>A secret that does not end', ['Sorry, could you say that again?']],
      ['Five < six, he said. Or [five] and `six`.', ['Five < six, he said.', 'Or [five] and six .']],
      ['It is {fine}.', ['It is {fine}.']],
    ])('%j', async (text, spoken) => {
      const { say, ran } = await talkWith(answers(inPieces(text, letters)));
      expect([await say(), ran]).toEqual([spoken, []]);
    });

    test.each([
      '<tool_call>\n{"name": "opt_out", "arguments": {}}\n</tool_call>',
      '<tool_call>{"name": "opt_out", "arguments": {}}',
      '<tool_call>opt_out</tool_call>',
      '<tool_call>\n<function=opt_out>\n<parameter=reason>asked on a call</parameter>\n</function>\n</tool_call>',
      '<function=opt_out>{}</function>',
      '{"name": "opt_out", "parameters": {}}',
      '{"type": "function", "function": {"name": "opt_out", "arguments": "{}"}}',
      '```json\n{"name": "opt_out", "arguments": {}}\n```',
      '[{"name": "opt_out", "arguments": {}}]',
      '[TOOL_CALLS][{"name": "opt_out", "arguments": {}}]',
      '[TOOL_CALLS]opt_out{"reason": null}',
      '<|python_tag|>opt_out(reason=null)',
      '{"name": "opt_out", "arguments": {"reason": ',
    ])('a tool call is run: %j', async (text) => {
      const { say, ran } = await talkWith(answers(inPieces(text, letters)));
      expect([await say(), ran]).toEqual([farewell, ['opt_out asked on a call']]);
    });

    test('a tool call among words is run, and the words are spoken', async () => {
      const text = 'Of course. {"name": "note", "arguments": {"text": "a } and a \\" in it"}} One moment.';
      const { say, ran } = await talkWith(answers(inPieces(text, letters)));
      expect(await say()).toEqual(['Of course.', 'One moment.', 'After the tools.']);
      expect(ran).toEqual(['note {"text":"a } and a \\" in it"}']);
    });

    test('a call of a tool that is not there is dropped with a note', async () => {
      const text = 'Of course. <tool_call>{"name": "buy", "arguments": {"what": "all"}}</tool_call>';
      const { say, ran, notes } = await talkWith(answers(inPieces(text, letters)));
      expect([await say(), ran, notes]).toEqual([['Of course.'], [], [{ type: 'tool_call_dropped' }]]);
    });
  });

  test('thoughts whose first tag is part of the prompt, from the second answer on', async () => {
    const { say } = await talkWith(answers(inPieces('I will upsell.</think>Hello there.', 4)));
    await say();
    expect(await say()).toEqual(['Hello there.']);
  });

  test('if thoughts were expected and none came, all of the answer is spoken', async () => {
    let asked = 0;
    const { say } = await talkWith(() =>
      inPieces((asked += 1) === 1 ? 'Hm.</think>Hello.' : 'Goodbye then.', 4),
    );
    await say();
    expect(await say()).toEqual(['Goodbye then.']);
  });
});

describe('a parameter that a server refuses is left out, and the server is asked without it on later calls', () => {
  const openAi = (message: string, param: string | null = null) => ({
    status: 400,
    body: { error: { message, type: 'invalid_request_error', param } },
  });
  const plain = [chunk({ content: 'Hello.' }, 'stop')];

  test.each([
    [
      'stream_options',
      {
        status: 422,
        body: {
          message: {
            detail: [{ type: 'extra_forbidden', loc: ['body', 'stream_options', 'include_usage'] }],
          },
        },
      },
    ],
    [
      'max_tokens',
      openAi(
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      ),
    ],
    ['max_tokens', openAi('Unsupported.', 'max_tokens')],
    [
      'temperature',
      openAi("Unsupported value: 'temperature' does not support 0.3 with this model.", 'temperature'),
    ],
    ['temperature', openAi('Bad Request')],
    ['max_tokens', openAi('Bad Request')],
    ['stream_options', { status: 400, body: 'Bad Request' }],
    [
      'temperature',
      { status: 400, body: [{ error: { code: 400, message: 'Invalid value at temperature' } }] },
    ],
  ])('%s', async (field, refusal) => {
    const dialects = createDialects();
    const habit = (body: ChatBody) => (field in body ? refusal : plain);
    const first = await talkWith(habit, { dialects, temperature: 0.3 });
    expect(await first.say()).toEqual(['Hello.']);
    expect(first.bodies.length).toBeGreaterThan(1);
    const asked = first.bodies.length;
    expect(await first.say()).toEqual(['Hello.']);
    expect(first.bodies).toHaveLength(asked + 1);
  });

  test('several, one by one', async () => {
    const { say, bodies } = await talkWith(
      (body) => {
        for (const field of ['max_tokens', 'max_completion_tokens', 'temperature', 'stream_options']) {
          if (field in body) return openAi(`${field}: extra inputs are not permitted`);
        }
        return plain;
      },
      { temperature: 0.3 },
    );
    expect(await say()).toEqual(['Hello.']);
    expect(bodies).toHaveLength(5);
  });

  test('nothing is learned from a request that is refused however it is asked', async () => {
    let refuses = true;
    const { say, bodies } = await talkWith(() => (refuses ? openAi('No such model.') : plain), {
      temperature: 0.3,
    });
    await expect(say()).rejects.toMatchObject({ reason: 'status_400' });
    expect(bodies.length).toBeLessThan(8);
    refuses = false;
    await say();
    expect(bodies.at(-1)).toMatchObject({ temperature: 0.3, max_tokens: 400, stream_options: {} });
  });
});

describe('answers of other forms are read', () => {
  const event = (value: object) => `data: ${JSON.stringify(value)}\n\n`;
  const hello = event(chunk({ content: 'Hello.' }, 'stop'));

  test.each([
    ['a list of contents', [chunk({ content: [{ type: 'text', text: 'Hello.' }] }, 'stop')]],
    [
      'a list with thoughts',
      [
        chunk({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'secret' }] }] }),
        chunk({ content: 'Hello.' }, 'stop'),
      ],
    ],
    ['no reason to finish, but an end', [chunk({ content: 'Hello.' })]],
    ['an empty reason to finish', [chunk({ content: 'Hello.' }, '')]],
    ['an empty event', `data: \n\n${hello}data: [DONE]\n\n`],
    ['no end, but a reason to finish', hello],
    [
      'no empty line at the end',
      `${event(chunk({ content: 'Hello.' }))}data: ${JSON.stringify(chunk({}, 'stop'))}`,
    ],
    ['comments and names of events', `: ping\n\nevent: message\n${hello}data: [DONE]\n\n`],
    [
      'no spaces, and carriage returns',
      `data:${JSON.stringify(chunk({ content: 'Hello.' }, 'stop'))}\r\n\r\n`,
    ],
    ['a byte order mark', `\uFEFF${hello}`],
    ['no delta', [{ choices: [{ delta: null }] }, { choices: [] }, chunk({ content: 'Hello.' }, 'stop')]],
    ['a refusal of the model', [chunk({ refusal: 'Hello.' }, 'stop')]],
    [
      'an answer that is not streamed',
      {
        status: 200,
        body: { choices: [{ message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }] },
      },
    ],
    [
      'a message beside the delta',
      [
        {
          choices: [{ delta: { content: 'Hello.' }, message: { content: 'Hello.' }, finish_reason: 'stop' }],
        },
      ],
    ],
  ])('%s', async (_, reaction) => {
    const { say } = await talkWith(() => reaction);
    expect(await say()).toEqual(['Hello.']);
  });

  test.each([
    ['has neither an end nor a reason to finish', event(chunk({ content: 'Hel' }))],
    ['ends in the middle of an event', 'data: {"choices": [{"del'],
  ])('an answer that %s has broken off', async (_, reaction) => {
    const { say } = await talkWith(() => reaction);
    await expect(say()).rejects.toMatchObject({ reason: 'broke_off' });
  });
});

describe('a reply that is begun before it is certain that the person has ended', () => {
  const books = (body: ChatBody) =>
    isAfterTool(body)
      ? goesOn
      : [chunk({ content: 'I book it. ' }), chunk({ tool_calls: [called('book', '{}')] }, 'tool_calls')];
  const never = new AbortController().signal;
  const settled = () => new Promise((resolve) => setImmediate(resolve));

  test('runs no tool until it is used, and then the whole reply follows', async () => {
    const talk = await talkWith(books, { pause: () => Promise.resolve() });
    const reply = talk.conversation.prepare?.('A table for two.');
    const steps = reply?.steps(never)[Symbol.asyncIterator]();
    expect((await steps?.next())?.value).toMatchObject({ kind: 'say' });
    expect((await steps?.next())?.value).toMatchObject({ kind: 'working' });
    await settled();
    expect(talk.ran).toEqual([]);
    expect((await steps?.next())?.value).toMatchObject({ kind: 'say' });
    expect((await steps?.next())?.done).toBe(true);
    expect(talk.ran).toEqual(['book {}']);
    expect(talk.bodies).toHaveLength(2);
  });

  test('leaves nothing in the history if it is discarded', async () => {
    const talk = await talkWith(books, { pause: () => Promise.resolve() });
    talk.conversation.prepare?.('A table').discard();
    const late = talk.conversation.prepare?.('A table for');
    while (talk.bodies.length < 1) await settled();
    late?.discard();
    await talk.say('A table for two.');
    expect(talk.ran).toEqual(['book {}']);
    const asked = talk.bodies.at(-1)?.messages.filter(({ role }) => role === 'user');
    expect(asked?.map(({ content }) => content)).toEqual(['A table for two.']);
  });
});
