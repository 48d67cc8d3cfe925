/**
 * pdf.js is written for a thread beside the one that asks it, and copies all that the two tell each other. Here both are one thread,
 * and a twentieth of the time went into copies that were never read again. What its message handler sends is handed over as it
 * is, unless something is to be moved with it; everything else is copied.
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

/** Some runs of a page, on their way (`StreamKind.ENQUEUE` of its message handler). The parser empties their carrier and fills it again. */
function isPieceOfText(value: object): value is { chunk: { items: unknown[] } } {
  if (!('stream' in value) || !('chunk' in value)) return false;
  const { chunk } = value;
  return typeof chunk === 'object' && chunk !== null && 'items' in chunk && 'styles' in chunk;
}
