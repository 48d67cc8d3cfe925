/** `.ci/run` sets it: larger samples, and both queue backends for the engine. `npm test` takes what a developer waits for. */
export const isFullRun = process.env['OUTDIAL_TEST_FULL'] === '1';
