import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { CliError } from '../cli-error.ts';
import { agentFile } from './agent-file.ts';
import { parseAgentFile } from './parse-agent-file.ts';

// vitest types its matchers as `any`.
const containing = (text: string): unknown => expect.stringContaining(text);

function faultsOf(text: string, endpoints: ReadonlySet<string> | null = null) {
  try {
    parseAgentFile(text, 'agent.yaml', endpoints);
  } catch (error) {
    if (error instanceof CliError) return error.faults;
    throw error;
  }
  return [];
}

describe('parseAgentFile', () => {
  test('reads YAML, and JSON just the same', () => {
    const expected = {
      name: 'Anna',
      config: { voice: 'alto' },
      skills: [{ type: 'transfer', exec_order: '1', enabled: true, config: {} }],
      prompts: [{ level: 1, prompt: 'Hello {{name}}', explanation: '', mitigation: '', harmful_intents: [] }],
    };
    const yaml =
      'name: Anna\nconfig: {voice: alto}\nskills:\n- {type: transfer, exec_order: 1}\nprompts:\n- prompt: Hello {{name}}\n';
    const read = { ...expected, warnings: [] };
    expect(parseAgentFile(yaml, 'a.yaml')).toEqual(read);
    expect(parseAgentFile(JSON.stringify(expected, null, 2), 'a.json')).toEqual(read);
  });

  test.each([
    ['{"name": "a", "config": {\n"id": 12345678901234567890}}', 2],
    ['name: a\nconfig:\n  id: 9007199254740993', 3],
    ['name: a\nconfig:\n  share: 0.12345678901234567891', 3],
    ['name: a\nconfig:\n  id: 0xFFFFFFFFFFFFFFFF', 3],
    ['name: a\nconfig:\n  most: .inf', 3],
    ['name: a\nconfig:\n  most: 1e999', 3],
  ])('a number that would lose digits is refused: %j', (text, line) => {
    expect(faultsOf(text)).toEqual([{ line, message: containing('write it as text') }]);
  });

  test('numbers that keep their digits are read, and a name that occurs twice is refused', () => {
    const { config } = parseAgentFile('name: a\nconfig: {a: 1.50, b: 0x1F, c: -3, d: 1e3}', 'a.yaml');
    expect(config).toEqual({ a: 1.5, b: 31, c: -3, d: 1_000 });
    for (const twice of ['name: a\nconfig: {a: 1, a: 2}', '{"name": "a", "name": "b"}']) {
      expect(faultsOf(twice)).toEqual([
        { line: expect.any(Number) as unknown, message: containing('unique') },
      ]);
    }
  });

  test.each([
    [
      'text with NUL',
      '{"name": "a", "config": {"b": "c\\u0000"}}',
      'the file has a character that is not text',
    ],
    [
      'half of a character',
      '{"name": "a", "config": {"\\ud800": 1}}',
      'the file has a character that is not text',
    ],
    [
      'aliases of aliases',
      `a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [${'*a,'.repeat(9)}]\nc: &c [${'*b,'.repeat(9)}]\nd: [${'*c,'.repeat(9)}]\nname: a\n`,
      'alias',
    ],
    ['itself inside', 'name: a\nconfig: &a {b: *a}\n', 'the file is nested deeper'],
  ])('refuses %s', (_name, text, message) => {
    expect(faultsOf(text)).toEqual([{ line: 1, message: containing(message) }]);
  });

  test('names every fault by its line', () => {
    const text =
      'name: Anna\nskills:\n  - type: transfer\n    exec_order: 1\n    enabeld: true\nprompts:\n  - level: one\n    prompt: Hi\n';
    expect(faultsOf(text)).toEqual([
      { line: 5, message: containing('enabeld') },
      { line: 7, message: containing('prompts.0.level') },
    ]);
    const voice = 'name: Anna\nconfig:\n  voice:\n    mode: cascade\n    greting: Hello\n';
    expect(faultsOf(voice)).toEqual([
      { line: 5, message: 'config.voice: `greting` is unknown; did you mean `greeting`?' },
    ]);
    const endpoint = 'name: Anna\nconfig:\n  voice:\n    mode: relay\n    llm:\n      endpoint: lmm\n';
    expect(faultsOf(endpoint)).toEqual([]);
    expect(faultsOf(endpoint, new Set(['llm']))).toEqual([
      { line: 6, message: containing('VOICE_ENDPOINT_LMM_URL is not set') },
    ]);
    expect(faultsOf('name: [Anna\nprompts: x\n')[0]?.line).toBeGreaterThan(0);
    expect(faultsOf('')).toHaveLength(1);
  });
});

const docs = (name: string) => fileURLToPath(new URL(`../../../../docs/${name}`, import.meta.url));

// `npx vitest run --project unit packages/cli/src/agent-file --update` writes it again.
test('docs/agent-file.schema.json is the schema that is read', async () => {
  const schema = z.toJSONSchema(agentFile, { io: 'input' });
  await expect(
    `${JSON.stringify({ title: 'An agent of Outdial', ...schema }, null, 2)}\n`,
  ).toMatchFileSnapshot(docs('agent-file.schema.json'));
});

test('the examples of the reference are read', () => {
  const page = readFileSync(docs('agent-file.md'), 'utf8');
  const examples = [...page.matchAll(/```(?:yaml|json)\n([\s\S]*?)```/g)].map((match) => match[1] ?? '');
  expect(examples.length).toBeGreaterThan(1);
  for (const example of examples) expect(faultsOf(example)).toEqual([]);
});
