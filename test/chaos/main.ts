import type { CheckResult } from './checks/evidence.ts';
import { readOptions, usage, type ChaosOptions } from './options.ts';
import { runScenarios } from './run/all-scenarios.ts';
import { reportChecks } from './run/report.ts';
import { runRollingRestart } from './run/rolling-restart.ts';
import { runUnderFaults } from './run/under-faults.ts';

/** `npm run chaos`: runs the scenarios, a rolling restart and a campaign under faults, and then the checks. */
async function main(options: ChaosOptions): Promise<boolean> {
  const count = { passed: 0, failed: 0 };
  const parts: Array<[ChaosOptions['only'], (options: ChaosOptions) => Promise<CheckResult[]>]> = [
    ['scenarios', runScenarios],
    ['rolling', runRollingRestart],
    ['faults', runUnderFaults],
  ];
  for (const [name, run] of parts) {
    if (options.only !== null && options.only !== name) continue;
    const { passed, failed } = reportChecks(await resultsOf(name, () => run(options)));
    count.passed += passed;
    count.failed += failed;
  }
  if (count.failed > 0) console.log(`repeat the schedule of faults with --seed ${options.seed}`);
  console.log(`${count.passed} passed, ${count.failed} failed`);
  return count.failed === 0;
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
