import type { Step } from './run-steps.ts';

export const isRoot = process.getuid?.() === 0;

/** The tests of some projects of Vitest. Those on Redis, in Chromium and, as root, on Asterisk fail if these are missing. */
export function testsStep({
  level,
  projects,
  ...step
}: Omit<Step, 'command' | 'env'> & { level: 'ci' | 'long'; projects: readonly string[] }): Step {
  return {
    ...step,
    command: ['npx', 'vitest', 'run', ...projects.flatMap((project) => ['--project', project])],
    env: {
      OUTDIAL_TEST_LEVEL: level,
      OUTDIAL_REQUIRE_REDIS: '1',
      OUTDIAL_REQUIRE_CHROMIUM: '1',
      ...(isRoot && { OUTDIAL_REQUIRE_ASTERISK: '1' }),
    },
  };
}
