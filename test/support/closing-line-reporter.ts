import { relative } from 'node:path';
import type { Reporter, TestCase, TestModule } from 'vitest/node';
import { quote, repeatLine } from '../steps/repeat.ts';
import { leftOutLine } from './services/left-out.ts';
import { filesLeftOut, level } from './test-levels.ts';

/** A run with a hundred failures has one cause. */
const repeatedAtMost = 10;
/** The variables that decide what a test does. A repeated run needs those of this one. */
const variables = [
  'OUTDIAL_TEST_LEVEL',
  'SEED',
  'ORACLE_CASES',
  'CSV_LINES',
  'LIST_LINES',
  'SIMULATED_CAMPAIGNS',
  'FUZZ_RUNS',
  'COMPLIANCE_WHOLE',
  'COMPLIANCE_PART',
  'COMPLIANCE_FIRST_FAULT',
];

/**
 * Prints as the last lines the commands that repeat each failed test alone, and `N passed, N failed`, for programs that parse the output. Files that
 * could not run, and errors outside of tests, count as failures, so that the line agrees with the exit status.
 */
export default class ClosingLineReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const count = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    const repeats: string[] = [];
    for (const module of modules) {
      const errors = [module, ...module.children.allSuites()].flatMap((one) => one.errors());
      count.failed += errors.length;
      if (errors.length > 0) repeats.push(commandFor(module, []));
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed' || state === 'failed') count[state] += 1;
        else count.skipped += 1;
        if (state === 'failed') repeats.push(commandForTest(test));
      }
    }
    const leftOut = leftOutLine();
    if (leftOut !== null) console.error(leftOut);
    const left = filesLeftOut(level, process.argv.slice(3)).length;
    if (process.env['npm_lifecycle_event'] === 'test' && left > 0) {
      console.error(`${left} files are left to .ci/run and npm run long (test/support/test-levels.ts).`);
    }
    const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : '';
    // At exit, because other reporters print their summaries after this one is called.
    process.once('exit', (status) => {
      if (status !== 0 && count.failed === 0) count.failed = 1;
      for (const command of repeats.slice(0, repeatedAtMost)) console.log(repeatLine(command));
      if (repeats.length > repeatedAtMost) console.log(`and ${repeats.length - repeatedAtMost} more`);
      process.stdout.write(`${count.passed} passed, ${count.failed} failed${skipped}\n`);
    });
  }
}

function commandForTest(test: TestCase): string {
  const seed = test
    .result()
    .errors?.map(({ message }) => /\{ seed: (-?\d+)/.exec(message)?.[1])
    .find((found) => found !== undefined);
  // `-t` takes a regular expression.
  const exactly = `^${test.fullName.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)}$`;
  return commandFor(test.module, ['-t', exactly], seed);
}

/** The seed is that of a property of fast-check, which its message names. */
function commandFor(module: TestModule, args: readonly string[], seed = process.env['SEED']): string {
  const env: NodeJS.ProcessEnv = { ...process.env, SEED: seed };
  const set = variables.flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [`${name}=${quote(value)}`];
  });
  const file = relative(module.project.config.root, module.moduleId);
  return [...set, 'npx vitest run', file, ...args.map(quote)].join(' ');
}
