import { checks } from './checks.ts';
import { reportSteps, runSteps, type Step, type StepResult } from './run-steps.ts';
import { isRoot, testsStep } from './tests-step.ts';

/**
 * What `.ci/run` runs after the dependencies are installed. Of what takes long, only as much as finds most; `long.ts` has the rest. Each group waits
 * for the one before, and goes on past its failures.
 */
const npmRun = (name: string, minutes: number, ...args: string[]): Step => ({
  name,
  command: ['npm', 'run', '--silent', name, ...(args.length > 0 ? ['--', ...args] : [])],
  minutes,
});
const bringIn = (what: 'asterisk' | 'browser'): Step => ({
  name: `bring in ${what}`,
  command: ['node', `test/support/${what}/bring-in.ts`],
  minutes: 2,
});

/** Hostile tenants have bounds on how long others wait, so only what mostly waits for the network runs beside them. */
const first: Step[] = [
  npmRun('attack', 3, '--short'),
  ...(isRoot ? [bringIn('asterisk')] : []),
  bringIn('browser'),
  npmRun('audit', 1),
];

/** Processes that are killed mostly wait, for time that has to pass, so that the checks have time beside them. */
const second: Step[] = [
  npmRun('chaos', 4, '--short'),
  ...checks,
  // What operators deploy, read by the programs that will read it.
  { name: 'ops', command: ['node', 'test/ops/check/main.ts'], minutes: 1 },
  npmRun('secrets', 1),
  npmRun('sbom', 1),
  npmRun('fuzz', 2, '--requests', '4000', '--files', '100'),
  {
    name: 'oracle',
    command: ['npx', 'vitest', 'run', '--project', 'unit', 'test/oracle'],
    env: { ORACLE_CASES: '10000' },
    minutes: 1,
  },
  {
    name: 'simulation',
    command: ['npx', 'vitest', 'run', 'test/integration/engine/simulated-campaign.test.ts'],
    env: { SIMULATED_CAMPAIGNS: '10' },
    minutes: 1,
  },
];

/** Nothing beside them, since they use both cores. */
const third = [
  testsStep({ name: 'tests', level: 'ci', projects: ['unit', 'integration', 'e2e'], minutes: 6 }),
];

/** Sound and people in real time, with nothing beside them: on a busy machine, the sound would have gaps. */
const fourth = [testsStep({ name: 'trunk', level: 'ci', projects: ['trunk'], minutes: 4 })];
const fifth = [testsStep({ name: 'browser', level: 'ci', projects: ['browser'], minutes: 3 })];

export const groups: ReadonlyArray<readonly Step[]> = [first, second, third, fourth, fifth];

if (import.meta.main) {
  const results: StepResult[] = [];
  for (const group of groups) results.push(...(await runSteps(group, 2)));
  process.exitCode = reportSteps(results) ? 0 : 1;
}
