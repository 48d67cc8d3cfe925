/** Settles as `work` does, or rejects with `onLate()` after `timeoutMs`. Leaves no timer behind. */
export async function withDeadline<Value>(
  work: Promise<Value>,
  timeoutMs: number,
  onLate: () => Error,
): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(onLate()), timeoutMs);
  });
  // The loser of the race must not end as an unhandled rejection.
  work.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
