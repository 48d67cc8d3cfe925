import fc from 'fast-check';
import { isLongRun } from './full-run.ts';

/**
 * Vitest runs this before each file. Properties try the same cases in each run, so that no run fails by a case that nobody has seen; `npm run long` tries others
 * each time. `SEED=N` repeats the cases of a failed property, whose message names the seed.
 */
const seed = process.env['SEED'] ?? (isLongRun ? null : '1');
if (seed !== null) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) });
