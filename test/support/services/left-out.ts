const key = Symbol.for('outdial.test-left-out');
const shelf = globalThis as { [key]?: string[] };

/** Records skipped tests with the reason, to report them at the end of the run. */
export function noteLeftOut(tests: string, reason: string, remedy: string): void {
  const line = `!!! LEFT OUT: ${tests}, since ${reason}. Bring it in ${remedy}.`;
  shelf[key] = [...(shelf[key] ?? []).filter((other) => other !== line), line];
}

/** The lines to print, or null if no test was skipped. */
export function leftOutLine(): string | null {
  return shelf[key]?.join('\n') ?? null;
}
