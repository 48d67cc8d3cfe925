const level = process.env['OUTDIAL_TEST_LEVEL'];

/** In `.ci/run` and `npm run long`: larger samples. `npm test` runs smaller ones. */
export const isFullRun = level === 'ci' || level === 'long';
/** In `npm run long` only: samples whose value is their size, and both queue backends for the engine. */
export const isLongRun = level === 'long';
