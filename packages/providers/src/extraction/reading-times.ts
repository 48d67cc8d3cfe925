/** Reading time counts half after this time. */
const halfLifeMs = 60_000;
/** How many owners are remembered. Those with the least reading time are forgotten first. */
const ownersAtMost = 10_000;

/** How much reading time each owner of files has used recently. */
export class ReadingTimes {
  readonly #used = new Map<string | undefined, { ms: number; atMs: number }>();

  add(owner: string | undefined, ms: number, nowMs: number): void {
    this.#used.set(owner, { ms: this.of(owner, nowMs) + ms, atMs: nowMs });
    if (this.#used.size > ownersAtMost) this.#forgetHalf(nowMs);
  }

  of(owner: string | undefined, nowMs: number): number {
    const used = this.#used.get(owner);
    return used ? used.ms * 0.5 ** ((nowMs - used.atMs) / halfLifeMs) : 0;
  }

  /** The index of the file to read next: the first file of the owner with the least reading time. -1 if there are no files. */
  indexOfNext(files: ReadonlyArray<{ owner: string | undefined }>, nowMs: number): number {
    let next = -1;
    let least = Infinity;
    const known = new Map<string | undefined, number>();
    for (const [at, { owner }] of files.entries()) {
      const ms = known.get(owner) ?? this.of(owner, nowMs);
      known.set(owner, ms);
      if (ms >= least) continue;
      next = at;
      least = ms;
    }
    return next;
  }

  #forgetHalf(nowMs: number): void {
    const byUse = [...this.#used.keys()].toSorted(
      (one, other) => this.of(one, nowMs) - this.of(other, nowMs),
    );
    for (const owner of byUse.slice(0, ownersAtMost / 2)) this.#used.delete(owner);
  }
}
