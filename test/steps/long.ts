import { parseArgs } from 'node:util';
import { reportSteps, runSteps, type Step } from './run-steps.ts';
import { testsStep } from './tests-step.ts';

/**
 * `npm run long [-- --only NAME,NAME] [--list]`: the runs whose value is in their length, one after another. A release passes all of them; a change
 * passes those that it touches. Goes on past a failure, and prints one table at the end.
 */
export const parts: readonly Step[] = [
  testsStep({
    name: 'tests',
    what: 'every file of tests, with the largest samples and both queue backends',
    level: 'long',
    projects: ['unit', 'integration', 'e2e', 'browser'],
    minutes: 20,
  }),
  testsStep({
    name: 'trunk',
    what: 'conversations in real time, and a campaign of 200 people over two Asterisks, 50 at once',
    level: 'long',
    projects: ['trunk'],
    minutes: 6,
  }),
  {
    name: 'chaos',
    what: 'every scenario, a rolling restart, 2,000 people under faults, and failovers of Postgres and Redis',
    command: ['npm', 'run', '--silent', 'chaos'],
    minutes: 20,
  },
  ...[11, 22, 33, 44, 55, 66, 77, 88].map((seed): Step => ({
    name: `seed-${seed}`,
    what: `300 people under the faults of seed ${seed}`,
    command: [
      'npm',
      'run',
      '--silent',
      'chaos',
      '--',
      '--short',
      '--only',
      'faults',
      '--recipients',
      '300',
      '--seed',
      String(seed),
    ],
    minutes: 2,
  })),
  {
    name: 'mutations',
    what: 'each protection taken out of a copy, caught by its scenario',
    command: ['npm', 'run', '--silent', 'chaos:mutations'],
    minutes: 20,
  },
  {
    name: 'compliance',
    what: 'three weeks with 10,000 people, each dial judged by a second reading of the law',
    command: ['npm', 'run', '--silent', 'compliance'],
    minutes: 15,
  },
  {
    name: 'compliance-mutations',
    what: 'each calling rule broken in a copy, found by that reading',
    command: ['npm', 'run', '--silent', 'compliance:mutations'],
    minutes: 30,
  },
  {
    name: 'oracle',
    what: '100,000 random schedules and histories against a second implementation',
    command: ['npx', 'vitest', 'run', '--project', 'unit', 'test/oracle'],
    env: { ORACLE_CASES: '100000' },
    minutes: 3,
  },
  {
    name: 'lists',
    what: 'a million lines of lists with random faults: each is taken, named or blank',
    command: ['npx', 'vitest', 'run', '--project', 'unit', 'packages/sheets/src/every-line.test.ts'],
    env: { CSV_LINES: '1000000' },
    minutes: 2,
  },
  {
    name: 'lists-doors',
    what: '20,000 such lines for each import over REST and the command line',
    command: ['npx', 'vitest', 'run', 'test/integration/lists/every-line.test.ts'],
    env: { LIST_LINES: '20000' },
    minutes: 10,
  },
  {
    name: 'simulation',
    what: '40 campaigns over weeks whose rules change, judged by the oracle',
    command: ['npx', 'vitest', 'run', 'test/integration/engine/simulated-campaign.test.ts'],
    env: { SIMULATED_CAMPAIGNS: '40' },
    minutes: 2,
  },
  {
    name: 'fuzz',
    what: '100,000 requests and 500 files of each kind, another seed each time',
    command: ['npm', 'run', '--silent', 'fuzz'],
    minutes: 20,
  },
  {
    name: 'attack',
    what: 'all attacks of one tenant on another at once, for five minutes',
    command: ['npm', 'run', '--silent', 'attack'],
    minutes: 6,
  },
  {
    name: 'attack-bite',
    what: 'each attack with and without its protection',
    command: ['npm', 'run', '--silent', 'attack', '--', '--bite'],
    minutes: 15,
  },
  {
    name: 'bench',
    what: 'every program of npm run bench in small: fails if one can no longer measure',
    command: ['npm', 'run', '--silent', 'bench', '--', '--quick'],
    minutes: 15,
  },
  {
    name: 'bench-voice',
    what: 'the voice detector on recorded voices and music',
    command: ['node', 'test/bench/voice-detector.ts'],
    minutes: 5,
  },
  {
    name: 'generators',
    what: 'clients from six generators of others, each compiled with --strict',
    command: ['npm', 'run', '--silent', 'generators'],
    minutes: 2,
  },
  {
    name: 'empty-clone',
    what: 'the commands of README, from an empty clone, and npm pack and npm run check as the first command in one',
    command: ['node', 'test/steps/empty-clone.ts'],
    minutes: 8,
  },
  {
    name: 'compose',
    what: 'docker-compose.yml with a campaign of 400, two killed workers, a backup and its restore',
    command: ['test/ops/compose/try.sh', '--if-possible'],
    minutes: 6,
  },
];

/** The parts of this name; `seed` names every part that begins so. */
function named(word: string): readonly Step[] {
  const exact = parts.filter(({ name }) => name === word);
  return exact.length > 0 ? exact : parts.filter(({ name }) => name.startsWith(`${word}-`));
}

async function main(): Promise<boolean> {
  const { values } = parseArgs({
    options: { only: { type: 'string' }, list: { type: 'boolean', default: false } },
  });
  const words = values.only?.split(',') ?? [];
  const unknown = words.filter((word) => named(word).length === 0);
  if (unknown.length > 0) {
    console.error(
      `There is no part ${unknown.join(', ')}; there are ${parts.map(({ name }) => name).join(', ')}.`,
    );
    return false;
  }
  const chosen = words.length === 0 ? parts : words.flatMap(named);
  for (const { name, what, minutes } of chosen) {
    console.log(`${name.padEnd(22)} ${`${minutes} min`.padStart(7)}  ${what}`);
  }
  console.log(`together about ${chosen.reduce((sum, { minutes }) => sum + minutes, 0)} min on two cores\n`);
  return values.list || reportSteps(await runSteps(chosen, 1));
}

if (import.meta.main) process.exitCode = (await main()) ? 0 : 1;
