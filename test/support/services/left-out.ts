const key = Symbol.for('outdial.test-left-out');
const shelf = globalThis as { [key]?: string };

/** Keeps, for the end of the run, why the tests on Redis were left out. */
export function noteLeftOut(reason: string): void {
  shelf[key] =
    `!!! LEFT OUT: every test on Redis, since ${reason}. ` +
    `Bring it in with REDIS_URL=redis://…, or with a redis-server on the PATH.`;
}

/** The one loud line, or null where nothing was left out. */
export function leftOutLine(): string | null {
  return shelf[key] ?? null;
}
