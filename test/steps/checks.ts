import type { Step } from './run-steps.ts';

export const checks: readonly Step[] = ['types', 'lint', 'unused', 'fence', 'format'].map((name) => ({
  name,
  command: ['npm', 'run', '--silent', `check:${name}`],
  minutes: 1,
}));
