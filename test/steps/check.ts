import { checks } from './checks.ts';
import { reportSteps, runSteps } from './run-steps.ts';

/** `npm run check`: every static check, two at a time, and what those that fail have said. */
process.exitCode = reportSteps(await runSteps(checks, 2)) ? 0 : 1;
