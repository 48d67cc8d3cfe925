/**
 * pdf.js is written to run in its own thread, and copies every message between threads. Here both sides run in one thread, and 5 % of the time went into
 * copies. This passes messages of its message handler without a copy, unless they transfer objects. Everything else is copied as usual.
 */
const { structuredClone } = globalThis;

Object.assign(globalThis, {
  structuredClone: (value: unknown, options?: Parameters<typeof structuredClone>[1]): unknown => {
    if (!isMessage(value) || options?.transfer?.length) return structuredClone(value, options);
    return isPieceOfText(value) ? { ...value, chunk: { ...value.chunk } } : value;
  },
});

/** A message between two message handlers. */
function isMessage(value: unknown): value is object {
  return typeof value === 'object' && value !== null && 'sourceName' in value && 'targetName' in value;
}

/** A message with some runs of a page (`StreamKind.ENQUEUE` of the message handler). The parser reuses the object that holds them. */
function isPieceOfText(value: object): value is { chunk: { items: unknown[] } } {
  if (!('stream' in value) || !('chunk' in value)) return false;
  const { chunk } = value;
  return typeof chunk === 'object' && chunk !== null && 'items' in chunk && 'styles' in chunk;
}
