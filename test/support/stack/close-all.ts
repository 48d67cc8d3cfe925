/** Runs `stop` once: a process that the test has stopped is not stopped again at its end. */
export function once(stop: () => Promise<void>): () => Promise<void> {
  let stopping: Promise<void> | undefined;
  return () => (stopping ??= stop());
}

/** In the order opposite to their opening; all of them, whatever one of them throws. */
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
  if (failures.length > 1) throw new AggregateError(failures, 'the stack did not close well');
}
