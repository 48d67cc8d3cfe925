/** Vitest runs this before each file: `SEED=N` repeats the random cases of a failed property, whose message names the seed. */
if (process.env['SEED'] !== undefined) {
  const { default: fc } = await import('fast-check');
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env['SEED']) });
}
