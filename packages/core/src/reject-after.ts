/** Settles like `work`, or rejects with `onLate()` after `timeoutMs`. */
export async function rejectAfter<Value>(
  work: Promise<Value>,
  timeoutMs: number,
  onLate: () => Error,
): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(onLate()), timeoutMs);
  });
  // A late failure must not become an unhandled rejection.
  work.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
