import type { CheckResult } from './checks/evidence.ts';
import { repeatLine } from '../steps/repeat.ts';
import { readOptions, usage, type ChaosOptions } from './options.ts';
import { runScenarios } from './run/all-scenarios.ts';
import { reportChecks } from './run/report.ts';
import { runFailover } from './run/failover.ts';
import { runRollingRestart } from './run/rolling-restart.ts';
import { runUnderFaults } from './run/under-faults.ts';

type Part = [ChaosOptions['only'], (options: ChaosOptions) => Promise<CheckResult[]>];

/** The scenarios run beside the others: both mostly wait, and each has its own servers. */
const sideBySide: ReadonlyArray<readonly Part[]> = [
  [['scenarios', runScenarios]],
  [
    ['rolling', runRollingRestart],
    ['faults', runUnderFaults],
    ['failover', runFailover],
  ],
];

/** `npm run chaos`: runs the scenarios, a rolling restart, a campaign under faults and failovers, and then the checks. */
async function main(options: ChaosOptions): Promise<boolean> {
  const count = { passed: 0, failed: 0 };
  const repeats = new Set<string>();
  const runInTurn = async (parts: readonly Part[]) => {
    for (const [name, run] of parts) {
      if (options.only !== null && options.only !== name) continue;
      const results = await resultsOf(name, () => run(options));
      const { passed, failed } = reportChecks(results);
      count.passed += passed;
      count.failed += failed;
      for (const { faults, repeat } of results) {
        if (faults.length > 0) repeats.add(repeat ?? commandFor(name, options.seed));
      }
    }
  };
  await Promise.all(sideBySide.map(runInTurn));
  for (const command of repeats) console.log(repeatLine(command));
  console.log(`${count.passed} passed, ${count.failed} failed`);
  return count.failed === 0;
}

/** The same part with the same schedule of faults. Of an option that is given twice, the last counts. */
function commandFor(name: string | null, seed: number): string {
  return ['npm run chaos --', ...process.argv.slice(2), `--only ${name} --seed ${seed}`].join(' ');
}

/** A part that could not run counts as failed. */
async function resultsOf(name: string | null, run: () => Promise<CheckResult[]>): Promise<CheckResult[]> {
  try {
    return await run();
  } catch (error) {
    const fault = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return [{ name: `${name} can be run`, faults: [fault], figures: '' }];
  }
}

if (process.argv.includes('--help')) {
  console.log(usage);
} else {
  process.exitCode = (await main(readOptions(process.argv.slice(2)))) ? 0 : 1;
}
