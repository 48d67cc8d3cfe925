/** Runs `stop` once, so that a process that the test has stopped is not stopped again at the end. */
export function once(stop: () => Promise<void>): () => Promise<void> {
  let stopping: Promise<void> | undefined;
  return () => (stopping ??= stop());
}

/** Closes everything in reverse order of opening, even if some of them throw. */
export async function closeAll(opened: Array<() => Promise<unknown>>): Promise<void> {
  const failures: unknown[] = [];
  for (const close of opened.splice(0).toReversed()) {
    try {
      await close();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length === 1) throw failures[0];
  if (failures.length > 1) throw new AggregateError(failures, 'several parts of the stack failed to close');
}
