/** Set by `.ci/run`: larger samples, and both queue backends for the engine. `npm test` runs smaller ones. */
export const isFullRun = process.env['OUTDIAL_TEST_FULL'] === '1';
