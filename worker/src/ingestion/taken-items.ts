import type { IngestionLease } from '@outdial/db';

/** Items of which this worker knows that a job for them finds nothing to do: it has their documents, or is through with them. */
export class TakenItems {
  readonly #ids = new Set<string>();

  has(itemId: string): boolean {
    return this.#ids.has(itemId);
  }

  take({ itemIds }: IngestionLease): void {
    for (const id of itemIds) this.#ids.add(id);
    // The oldest are forgotten: their jobs ask the database.
    for (const id of this.#ids) {
      if (this.#ids.size <= ITEMS_KNOWN) break;
      this.#ids.delete(id);
    }
  }

  /** The document waits again, or is in other hands. */
  giveBack({ itemIds }: IngestionLease): void {
    for (const id of itemIds) this.#ids.delete(id);
  }
}

const ITEMS_KNOWN = 10_000;
