import type { Reporter, TestModule } from 'vitest/node';
import { leftToCi } from './left-to-ci.ts';
import { leftOutLine } from './services/left-out.ts';

/**
 * Prints `N passed, N failed` as the last line, for programs that parse the output. Files that could not run, and errors outside of tests, count as
 * failures, so that the line agrees with the exit status.
 */
export default class ClosingLineReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const count = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    for (const module of modules) {
      count.failed += module.errors().length;
      for (const suite of module.children.allSuites()) count.failed += suite.errors().length;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed' || state === 'failed') count[state] += 1;
        else count.skipped += 1;
      }
    }
    const leftOut = leftOutLine();
    if (leftOut !== null) console.error(leftOut);
    if (process.env['npm_lifecycle_event'] === 'test' && leftToCi.length > 0) {
      console.error(`${leftToCi.length} long files are left to .ci/run; OUTDIAL_TEST_FULL=1 runs them too.`);
    }
    const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : '';
    // At exit, because other reporters print their summaries after this one is called.
    process.once('exit', (status) => {
      if (status !== 0 && count.failed === 0) count.failed = 1;
      process.stdout.write(`${count.passed} passed, ${count.failed} failed${skipped}\n`);
    });
  }
}
