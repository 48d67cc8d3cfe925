const key = Symbol.for('outdial.test-left-out');
const shelf = globalThis as { [key]?: string[] };

/** Keeps, for the end of the run, which tests were left out, and why. */
export function noteLeftOut(tests: string, reason: string, remedy: string): void {
  const line = `!!! LEFT OUT: ${tests}, since ${reason}. Bring it in ${remedy}.`;
  shelf[key] = [...(shelf[key] ?? []).filter((other) => other !== line), line];
}

/** The loud lines, or null if nothing was left out. */
export function leftOutLine(): string | null {
  return shelf[key]?.join('\n') ?? null;
}
