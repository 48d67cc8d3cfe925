/**
 * Asks with a signal that is aborted after `timeoutMs`, and gives the timer back as soon as the answer is there:
 * `AbortSignal.timeout` keeps its own until it fires, and thousands of questions a second are asked.
 */
export async function withDeadline<T>(
  timeoutMs: number,
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = new AbortController();
  const timer = setTimeout(
    () => deadline.abort(new DOMException('no answer in time', 'TimeoutError')),
    timeoutMs,
  );
  try {
    return await ask(deadline.signal);
  } finally {
    clearTimeout(timer);
  }
}
