import type { Reporter, TestModule } from 'vitest/node';
import { leftToCi } from './left-to-ci.ts';
import { leftOutLine } from './services/left-out.ts';

/**
 * Ends the run with `N passed, N failed` alone on a line, for programs that read the output. A file that
 * could not be run, and an error outside every test, count as failures: the line agrees with the status. Tests that needed
 * a second attempt are named.
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
        if (test.diagnostic()?.flaky) console.error(`Passed only when it was tried again: ${test.fullName}`);
      }
    }
    const leftOut = leftOutLine();
    if (leftOut !== null) console.error(leftOut);
    if (process.env['npm_lifecycle_event'] === 'test' && leftToCi.length > 0) {
      console.error(`${leftToCi.length} long files are left to .ci/run; OUTDIAL_TEST_FULL=1 runs them too.`);
    }
    const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : '';
    // Last of all: other reporters write their summaries after this one is called.
    process.once('exit', (status) => {
      if (status !== 0 && count.failed === 0) count.failed = 1;
      process.stdout.write(`${count.passed} passed, ${count.failed} failed${skipped}\n`);
    });
  }
}
