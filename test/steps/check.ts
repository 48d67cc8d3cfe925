import { checks } from './checks.ts';
import { reportSteps, runSteps } from './run-steps.ts';

/** `npm run check`: every static check, two at a time, and what those that fail have said. */
process.exitCode = reportSteps(await runSteps(checks, { atOnce: 2, shown: 'failed' })) ? 0 : 1;
