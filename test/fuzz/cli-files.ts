import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { Random } from '../chaos/random.ts';
import { openBed } from '../bench/engine/bed.ts';
import { runOutdial } from '../integration/cli/run-outdial.ts';
import { damage } from './encodings.ts';
import { hostileNumber, hostileText, hostileValue } from './hostile-values.ts';
import { jsonText } from './json-text.ts';
import { hostileTable, hostileWorkbook } from './multipart.ts';

interface FileTarget {
  name: string;
  make: (random: Random) => Buffer;
  args: (file: string, random: Random) => string[];
}

const targets: readonly FileTarget[] = [
  {
    name: 'agent import',
    make: agentFile,
    args: (file) => ['agent', 'import', file],
  },
  {
    name: 'campaign create',
    make: (random) => (random.chance(0.5) ? hostileTable(random) : hostileWorkbook(random)),
    args: (file, random) => [
      'campaign',
      'create',
      '--csv',
      file,
      '--agent',
      'Bench',
      '--name',
      argument(random),
      ...option(random, '--country', () => random.pick(['us', 'DE', 'XX', argument(random)])),
      ...option(random, '--start-date', () => argument(random)),
      ...option(random, '--end-time', () => argument(random)),
      ...option(random, '--timezone', () => argument(random)),
      ...option(random, '--calls-per-second', () => hostileNumber(random).text),
      ...option(random, '--priority', () => hostileNumber(random).text),
    ],
  },
  {
    name: 'suppress import',
    make: (random) => (random.chance(0.5) ? hostileTable(random) : hostileWorkbook(random)),
    args: (file, random) => [
      'suppress',
      'import',
      file,
      ...option(random, '--country', () => argument(random)),
    ],
  },
  {
    name: 'provider set',
    make: () => Buffer.alloc(0),
    args: (_file, random) => [
      'provider',
      'set',
      random.pick(['simulator', 'other', argument(random)]),
      '--adapter',
      random.pick(['simulator', 'gateway', 'twilio', 'asterisk']),
      ...option(random, '--max-lines', () => hostileNumber(random).text),
      ...option(random, '--calls-per-second', () => hostileNumber(random).text),
      ...option(
        random,
        '--set',
        () =>
          `${argument(random)}=${random.chance(0.5) ? argument(random) : jsonText(hostileValue(random)).slice(0, 2_000)}`,
      ),
    ],
  },
  {
    name: 'org set',
    make: () => Buffer.alloc(0),
    args: (_file, random) => [
      'org',
      random.pick(['set', 'create']),
      random.pick(['Bench', argument(random)]),
      ...option(random, '--timezone', () => argument(random)),
      ...option(random, '--max-lines', () => hostileNumber(random).text),
      ...option(random, '--countries', () => argument(random)),
      ...option(random, '--max-calls-per-day', () => hostileNumber(random).text),
      ...option(random, '--requests-per-minute', () => hostileNumber(random).text),
    ],
  },
];

const refusal = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

/** Runs the command line with hostile files and options. Each must be accepted, or refused with a reason. */
export async function fuzzFiles(random: Random, { ofEachKind }: { ofEachKind: number }): Promise<string[]> {
  if (ofEachKind === 0) return [];
  const bed = await openBed({ durability: 'none' });
  const world = await bed.world('postgres');
  const directory = mkdtempSync(join(tmpdir(), 'outdial-fuzz-'));
  const found: string[] = [];
  try {
    for (const { name, make, args } of targets) {
      let taken = 0;
      for (let turn = 0; turn < ofEachKind; turn++) {
        const file = random.pick(['list.csv', 'list.xlsx', 'agent.yaml', 'agent.json']);
        writeFileSync(join(directory, file), make(random));
        const command = [...args(file, random), '--json'];
        const run = await runOutdial(command, { env: { DATABASE_URL: world.databaseUrl }, directory });
        if (run.status === 0) taken += 1;
        const said = run.status === 0 ? null : refusal.safeParse(safeJson(run.err));
        if (said === null || (said.success && said.data.error.code !== 'failed')) continue;
        const why = said.success ? said.data.error.message : `not JSON: ${run.err.slice(0, 300)}`;
        console.error(`FOUND ${name}: ${why}\n  ${JSON.stringify(command).slice(0, 1_500)}`);
        found.push(`${name}: ${why}`);
      }
      console.log(`${name}: ${ofEachKind} runs, ${taken} accepted`);
    }
  } finally {
    await world.close();
    await bed.close();
    rmSync(directory, { recursive: true, force: true });
  }
  return found;
}

function option(random: Random, name: string, value: () => string): string[] {
  return random.chance(0.3) ? [`${name}=${value()}`] : [];
}

/** An argument that a shell can pass: well-formed text without NUL. */
function argument(random: Random): string {
  return hostileText(random).replaceAll('\0', '').toWellFormed().slice(0, 4_000);
}

function agentFile(random: Random): Buffer {
  const value = () => (random.chance(0.5) ? hostileValue(random) : 'x');
  const agent = {
    name: random.chance(0.8) ? `Agent ${random.between(1, 20)}` : value(),
    ...(random.chance(0.6) && { config: random.chance(0.5) ? { voice: value() } : value() }),
    ...(random.chance(0.6) && {
      skills: random.chance(0.7)
        ? [{ type: 'x', exec_order: random.chance(0.5) ? 1 : value(), config: { a: value() } }]
        : value(),
    }),
    ...(random.chance(0.6) && {
      prompts: random.chance(0.7)
        ? [{ level: random.chance(0.5) ? 1 : value(), prompt: 'Call {{name}}.', harmful_intents: [value()] }]
        : value(),
    }),
  };
  const yaml = random.pick([
    jsonText(agent),
    jsonText(agent),
    jsonText(agent),
    `name: a\nconfig: &a [*a]\n`,
    `a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c]\nname: a\n`,
    `name: !!js/function 'a'\n`,
    `name: !!binary ${hostileText(random)}\n`,
    `? [a]\n: b\nname: ${hostileText(random)}\n`,
    `name: a\nconfig: {<<: {a: 1}, __proto__: {b: 2}}\n`,
    `name: a\nconfig: {a: 2024-01-01, b: .nan, c: .inf, d: 0o7, e: ~}\n`,
    `%YAML 9.9\n---\nname: a\n---\nname: b\n`,
    hostileText(random),
  ]);
  const bytes = Buffer.from(yaml);
  return random.chance(0.2) ? damage(random, bytes) : bytes;
}

function safeJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
