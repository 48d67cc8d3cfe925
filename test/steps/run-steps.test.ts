import { expect, test, vi } from 'vitest';
import { reportSteps, runSteps, type Step } from './run-steps.ts';

/** Runs steps, and returns what was printed. */
async function printed(steps: readonly Step[]): Promise<{ isPassed: boolean; lines: string[] }> {
  const lines: string[] = [];
  const log = vi
    .spyOn(console, 'log')
    .mockImplementation((text: string) => void lines.push(...text.split('\n')));
  try {
    return { isPassed: reportSteps(await runSteps(steps, 2)), lines };
  } finally {
    log.mockRestore();
  }
}

const node = (name: string, script: string): Step => ({
  name,
  command: ['node', '-e', script],
  env: { FAULTS: '3' },
  minutes: 1,
});

test('a run goes on past failures, and ends with the command that repeats each', async () => {
  const { isPassed, lines } = await printed([
    node('chaos', "console.log('a check failed\\nrepeat: npm run chaos -- --seed 7'); process.exitCode = 1"),
    node('mute', 'process.exitCode = 2'),
    { name: 'absent', command: ['no-such-program'], minutes: 1 },
    node('good', "console.log('a figure')"),
    node('compose', "console.log('LEFT OUT: there is no podman')"),
  ]);
  expect(isPassed).toBe(false);
  expect(lines).not.toContain('a figure');
  expect(lines.at(-5)).toMatch(/^Failed: /);
  expect(lines.at(-1)).toBe('2 passed, 3 failed');
  expect(lines.slice(-4, -1).toSorted()).toEqual([
    '  absent: no-such-program',
    '  chaos: npm run chaos -- --seed 7',
    "  mute: FAULTS=3 node -e 'process.exitCode = 2'",
  ]);
  const table = lines.filter((line) => /^\w+ +(passed|FAILED|left out) +\d+ s$/.test(line));
  expect(table.map((line) => line.split(/ {2,}/).slice(0, 2).join(' ')).toSorted()).toEqual([
    'absent FAILED',
    'chaos FAILED',
    'compose left out',
    'good passed',
    'mute FAILED',
  ]);
});

test('a step without failures ends with the table', async () => {
  const { isPassed, lines } = await printed([node('good', '')]);
  expect(isPassed).toBe(true);
  expect(lines.slice(-3)).toEqual([expect.stringMatching(/^good +passed +\d+ s$/), '', '1 passed, 0 failed']);
});
