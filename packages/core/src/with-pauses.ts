/** The longest work between two pauses, if no single item takes longer. */
const workMs = 10;

/** Hands out items one after the other. Whatever else the process has to do goes on between them. */
export async function* withPauses<Item>(items: Iterable<Item>): AsyncGenerator<Item, void> {
  let since = performance.now();
  for (const item of items) {
    if (performance.now() - since >= workMs) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      since = performance.now();
    }
    yield item;
  }
}
