/** Yields the items of a stream. An abort closes the stream and rejects with the signal's reason at once, even if the stream hangs. */
export async function* untilAborted(
  signal: AbortSignal,
  stream: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  // The signal may be aborted while no `next` is pending.
  aborted.catch(() => undefined);
  signal.addEventListener('abort', abort, { once: true });
  const pieces = stream[Symbol.asyncIterator]();
  let isDone = false;
  try {
    for (;;) {
      const piece = await Promise.race([pieces.next(), aborted]);
      isDone = piece.done === true;
      if (piece.done) return;
      yield piece.value;
    }
  } finally {
    signal.removeEventListener('abort', abort);
    // Not awaited, because a stream that hangs may never close.
    if (!isDone) pieces.return?.().catch(() => undefined);
  }
}
