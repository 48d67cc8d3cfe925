import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { scriptedModel, type ModelRequest, type ScriptedAnswer } from '../../support/voice/scripted-model.ts';
import { openCliWorld } from '../cli/cli-world.ts';
import { runOutdial } from '../cli/run-outdial.ts';

const world = await openCliWorld();
const closing: Array<() => Promise<void>> = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

beforeAll(async () => {
  await world.outdial('migrate');
  await world.outdial('org', 'create', 'Acme', '--calling-policy', 'none');
  await writeFile(join(world.directory, 'anna.yaml'), agentFile);
  const imported = await world.outdial('agent', 'import', 'anna.yaml');
  if (imported.status !== 0) throw new Error(imported.err);
});

const agentFile = `
name: Anna
config:
  voice:
    mode: cascade
    greeting: Hello {{name}}, this is Anna from Acme. Is this a good time?
    idle: { after_seconds: 5, prompts: [Are you still there?] }
    extract:
      schema: { type: object, properties: { arrived: { type: boolean } }, required: [arrived] }
skills:
  - { type: end_call, exec_order: 1 }
  - { type: opt_out, exec_order: 2 }
  - { type: juggle, exec_order: 3 }
prompts:
  - prompt: You are Anna. Ask {{name}} whether the delivery has arrived.
`;

/** Runs a command with a model that has scripted answers. */
async function run(
  script: readonly ScriptedAnswer[] | ((request: ModelRequest) => ScriptedAnswer),
  args: readonly string[],
  input = '',
  further: Record<string, string> = {},
) {
  const model = await scriptedModel(script);
  closing.push(() => model.close());
  const env = { DATABASE_URL: world.databaseUrl, VOICE_ENDPOINT_LLM_URL: model.url, ...further };
  const done = await runOutdial(['agent', ...args], { directory: world.directory, env, input });
  return { ...done, requests: model.requests };
}

const lastOf = ({ messages }: ModelRequest) => messages.at(-1)?.content ?? '';
const isReading = ({ response_format: format }: ModelRequest) => format !== undefined;
const extract = (arrived: boolean) => ({ say: JSON.stringify({ summary: 'S.', extract: { arrived } }) });
const bye = { say: 'Goodbye.', tools: [{ name: 'end_call', arguments: { reason: 'done' } }] };

describe('outdial agent chat', () => {
  test('talks, shows what tools do, and reads the conversation at its end', async () => {
    const { status, out, err } = await run(
      [{ say: 'Has it arrived? Please say.' }, bye, extract(true)],
      ['chat', 'Anna', '--param', 'name=Ada'],
      'Yes?\nIt has.\nand this is not read\n',
    );
    expect([status, err]).toEqual([0, '']);
    const [note, ...lines] = out.split('\n');
    expect(note).toMatch(/skill_unknown.*juggle/);
    expect(lines).toEqual([
      'Hello Ada, this is Anna from Acme. Is this a good time?',
      'Has it arrived?',
      'Please say.',
      'Goodbye.',
      '  (uses end_call)',
      '  (hangs up: done)',
      'summary: S.',
      'extract: {"arrived":true}',
      '',
    ]);
  });

  test('suppresses no number', async () => {
    await run(
      ({ messages }) =>
        messages.some(({ role }) => role === 'tool')
          ? { say: 'Done.' }
          : { tools: [{ name: 'opt_out', arguments: {} }] },
      ['chat', 'Anna'],
      'Stop calling me\n',
    );
    const { rows } = await sql`select 1 from suppressions`.execute(world.db);
    expect(rows).toEqual([]);
  });

  test.each([
    [['chat', 'Nobody'], 'agent_not_found'],
    [['chat', '0195d2f7-6081-7293-84a5-1a2b3c4d5e6f'], 'agent_not_found'],
  ])('%j is refused', async (args, code) => {
    const { status, err } = await run([], [...args, '--json']);
    expect(status).toBe(1);
    expect(err).toContain(code);
  });

  test('takes the secret of tools from a file, as voice processes do', async () => {
    const name = await world.file('tool-secret', [`whsec_${'a'.repeat(32)}`]);
    const tools = {
      VOICE_TOOL_HOSTS: 'crm.example.com',
      VOICE_TOOL_SECRET_FILE: join(world.directory, name),
    };
    const { status, err } = await run([bye, extract(true)], ['chat', 'Anna'], 'It has.\n', tools);
    expect([status, err]).toEqual([0, '']);
  });

  test('a model that fails ends it with one line', async () => {
    const { status, err } = await run([{ status: 500 }], ['chat', 'Anna'], 'Hello?\n');
    expect([status, err]).toEqual([1, 'outdial: the endpoint llm failed: status_500\n']);
  });

  test('explains how to set endpoints if there are none', async () => {
    const done = await runOutdial(['agent', 'chat', 'Anna'], { env: { DATABASE_URL: world.databaseUrl } });
    expect(done).toMatchObject({
      status: 1,
      err: expect.stringContaining('VOICE_ENDPOINT_LLM_URL') as unknown,
    });
  });
});

const report = z.object({
  passed: z.boolean(),
  results: z.array(
    z.object({
      name: z.string(),
      passed: z.boolean(),
      faults: z.array(z.string()),
      seconds: z.number(),
      turns: z.array(z.object({ role: z.string(), text: z.string(), interrupted: z.boolean() })),
      tools: z.array(z.string()),
    }),
  ),
});

async function played(script: Parameters<typeof run>[0], scenario: object) {
  const file = { agent: 'Anna', prompt_params: { name: 'Ada' }, scenarios: [{ name: 'one', ...scenario }] };
  await writeFile(join(world.directory, 'scenarios.json'), JSON.stringify(file));
  const { status, out, requests } = await run(script, ['test', 'scenarios.json', '--json']);
  const [result] = report.parse(JSON.parse(out)).results;
  if (result === undefined) throw new Error('no result');
  return { status, ...result, requests };
}

const greeting = 'Hello Ada, this is Anna from Acme. Is this a good time?';

describe('outdial agent test', () => {
  test('plays a whole call: greeting, answer, goodbye, extract; every word takes its time', async () => {
    const { status, faults, turns, seconds } = await played(
      (request) =>
        isReading(request) ? extract(true) : lastOf(request) === 'It has.' ? bye : { say: 'Has it arrived?' },
      {
        caller: [{ says: 'Yes, go on.' }, { says: 'It has.' }],
        expect: {
          said: ['good time', '/goodbye\\.$/'],
          not_said: ['refund'],
          tools: ['end_call'],
          not_tools: ['opt_out'],
          extract: { arrived: true },
          ended_by: 'agent',
          interruptions: 0,
          turns_at_most: 5,
          seconds_at_most: 30,
        },
      },
    );
    expect([faults, status]).toEqual([[], 0]);
    expect(turns.map(({ role, text }) => [role, text])).toEqual([
      ['agent', greeting],
      ['person', 'Yes, go on.'],
      ['agent', 'Has it arrived?'],
      ['person', 'It has.'],
      ['agent', 'Goodbye.'],
    ]);
    // 22 words of 350 ms, and the pauses between them.
    expect(seconds).toBeGreaterThan(10);
    expect(seconds).toBeLessThan(20);
  });

  test('an interruption cuts the answer, in the record and for the model', async () => {
    const long = 'We are open from nine to five on weekdays and from ten to two on Saturdays.';
    const { turns, faults, requests } = await played(
      (request) => (isReading(request) ? extract(false) : lastOf(request) === 'When?' ? { say: long } : bye),
      {
        caller: [{ says: 'When?' }, { interrupts: 'No, I mean on Sundays please.', after_words: 4 }],
        expect: { interruptions: 1, ended_by: 'agent' },
      },
    );
    expect(faults).toEqual([]);
    const cut = turns.find(({ interrupted }) => interrupted)?.text ?? '';
    expect(long.startsWith(cut)).toBe(true);
    expect(cut.split(' ').length).toBeGreaterThanOrEqual(4);
    expect(cut.split(' ').length).toBeLessThan(9);
    const history = requests.find((request) => lastOf(request).startsWith('No, I mean'))?.messages ?? [];
    expect(history.map(({ content }) => content)).toContain(cut);
  });

  test('"Okay" does not interrupt, and silence is prompted', async () => {
    const { turns, faults } = await played(
      (request) =>
        isReading(request) ? extract(false) : { say: 'One two three four five six seven eight.' },
      {
        caller: [
          { says: 'Count, please.' },
          { interrupts: 'Okay', after_words: 3 },
          { is_silent_seconds: 6 },
        ],
        expect: { interruptions: 0, said: ['still there'], ended_by: 'person' },
      },
    );
    expect(faults).toEqual([]);
    expect(turns.map(({ text }) => text)).toContain('One two three four five six seven eight.');
  });

  test('a model may play the caller, and hears the agent', async () => {
    const { turns, faults } = await played(
      (request) => {
        const isCaller = request.messages[0]?.content?.startsWith('You play a person') === true;
        if (isReading(request)) return extract(true);
        if (isCaller) return { say: request.messages.length === 2 ? 'Yes, it came.' : 'HANG UP' };
        return { say: 'Good to hear.' };
      },
      { caller: { prompt: 'You are in a hurry.' }, expect: { said: ['Good to hear'], ended_by: 'person' } },
    );
    expect(faults).toEqual([]);
    expect(turns.map(({ text }) => text)).toEqual([greeting, 'Yes, it came.', 'Good to hear.']);
  });

  test("tools return the scenario's results, and failed expectations are reported with exit status 1", async () => {
    const { status, faults, requests } = await played(
      (request) => {
        if (isReading(request)) return extract(false);
        return request.messages.at(-1)?.role === 'tool'
          ? { say: 'It is done.' }
          : { tools: [{ name: 'opt_out', arguments: {} }] };
      },
      {
        caller: [{ says: 'Stop calling me, please.' }],
        tools: { opt_out: 'Refused: try again tomorrow.' },
        expect: {
          said: ['tomorrow'],
          not_said: ['done'],
          tools: ['end_call'],
          not_tools: ['opt_out'],
          extract: { arrived: true },
          ended_by: 'agent',
          interruptions: 2,
          turns_at_most: 1,
          seconds_at_most: 2,
        },
      },
    );
    expect(status).toBe(1);
    expect(requests.flatMap(({ messages }) => messages.map(({ content }) => content))).toContain(
      'Refused: try again tomorrow.',
    );
    expect(faults).toEqual([
      'the agent did not say "tomorrow"',
      'the agent said "done"',
      'tools should be end_call, in this order, and were opt_out',
      'the tool opt_out was used',
      'extract.arrived should be true, and is false',
      'the call should be ended by agent, and was by person (left)',
      '2 answers should be interrupted, and 0 were',
      'it took 3 turns, more than 1',
      expect.stringMatching(/^it took \d+ seconds, more than 2$/),
    ]);
  });

  test('a file that is not right names the field', async () => {
    await writeFile(
      join(world.directory, 'faulty.yaml'),
      'agent: Anna\nscenarios:\n  - name: one\n    caller: [{ shouts: Hey }]\n',
    );
    const { status, err } = await run([], ['test', 'faulty.yaml']);
    expect(status).toBe(1);
    expect(err).toContain('scenarios.0.caller');
  });
});
