import { join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { filesLeftOut, level } from './test/support/test-levels.ts';

const sources = [
  'packages/*/src',
  'api/src',
  'scheduler/src',
  'worker/src',
  'db/src',
  'test/attack',
  'test/chaos',
  'test/fence',
  'test/ops',
  'test/support',
  'test/steps',
  'test/changed',
  'test/bench',
  'test/oracle',
  'test/compliance',
];
/**
 * Conversations and telephone calls with sound in real time: beside tests that compute, the sound would have gaps, in which people and agents would take each
 * other for silent. No test asserts how long something took.
 */
const alone = [
  'test/integration/asterisk/campaign*.test.ts',
  'test/integration/voice/{bad-line,inbound-call,keys,killed-process,library-over-twilio,live-recognizer,on-the-line,realtime,twilio-stream,warm-transfer,whole-call}.test.ts',
];
const services = 'test/support/services/global-setup.ts';
const exclude = [...configDefaults.exclude, ...filesLeftOut(level, process.argv.slice(3))];

// Dozens of processes are started in a run: each takes about half of the processor time where Node finds its modules compiled.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, '.cache/compiled');

export default defineConfig({
  test: {
    // Two cores: tests wait for Postgres and Redis more than they compute.
    maxWorkers: 3,
    // Only what hangs takes so long: on a busy machine, a minute has seconds.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // Vitest's second is too short for a busy machine. Only what fails waits so long.
    expect: { poll: { timeout: 120_000 } },
    setupFiles: ['test/support/seed.ts'],
    reporters: ['default', './test/support/closing-line-reporter.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          // They share nothing that lasts, so a process is not made for each file.
          isolate: false,
          include: sources.map((folder) => `${folder}/**/*.test.ts`),
          exclude,
        },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          // A file makes a stack, or organizations, of its own. To import everything again for each file took half of the run's time.
          isolate: false,
          include: ['test/integration/**/*.test.ts'],
          exclude: [...exclude, ...alone],
          globalSetup: [services, 'test/ops/check/promtool-setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          // After all others. They wait for sound: one takes a third of a core.
          name: 'trunk',
          isolate: false,
          include: alone,
          exclude,
          maxWorkers: 2,
          globalSetup: services,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          // The console in a real browser, which would take time from the sound.
          name: 'browser',
          isolate: false,
          include: ['test/browser/**/*.test.ts'],
          exclude,
          globalSetup: [services, 'test/support/browser/global-setup.ts'],
          sequence: { groupOrder: 2 },
          maxWorkers: 2,
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['test/{e2e,acceptance}/**/*.test.ts'],
          exclude,
          globalSetup: services,
        },
      },
    ],
  },
});
