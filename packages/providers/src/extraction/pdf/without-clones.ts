/**
 * pdf.js is written for a thread beside the one that asks it, and copies all that the two tell each other. Here both are
 * one thread, and a twentieth of the time went into copies of the runs of a page that nobody looked at again. Those are handed over
 * as they are; whatever else there is to copy is copied.
 */
const { structuredClone } = globalThis;

Object.assign(globalThis, {
  structuredClone: (value: unknown, options?: Parameters<typeof structuredClone>[1]): unknown =>
    isPieceOfText(value) ? { ...value, chunk: { ...value.chunk } } : structuredClone(value, options),
});

/** Some runs of a page, on their way (`StreamKind.ENQUEUE` of its message handler). The parser empties their carrier and fills it anew. */
function isPieceOfText(value: unknown): value is { chunk: { items: unknown[] } } {
  if (typeof value !== 'object' || value === null || !('stream' in value) || !('chunk' in value))
    return false;
  const { chunk } = value;
  return typeof chunk === 'object' && chunk !== null && 'items' in chunk && 'styles' in chunk;
}
