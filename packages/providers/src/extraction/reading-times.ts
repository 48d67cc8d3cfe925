/** Use of this long ago counts half. */
const HALF_LIFE_MS = 60_000;
/** Owners that are told apart; those who used least are forgotten first. */
const OWNERS_AT_MOST = 10_000;

/** How much of the readers' time each owner of files had lately. */
export class ReadingTimes {
  readonly #used = new Map<string | undefined, { ms: number; atMs: number }>();

  add(owner: string | undefined, ms: number, nowMs: number): void {
    this.#used.set(owner, { ms: this.of(owner, nowMs) + ms, atMs: nowMs });
    if (this.#used.size > OWNERS_AT_MOST) this.#forgetHalf(nowMs);
  }

  of(owner: string | undefined, nowMs: number): number {
    const used = this.#used.get(owner);
    return used ? used.ms * 0.5 ** ((nowMs - used.atMs) / HALF_LIFE_MS) : 0;
  }

  /** Where the one is that is to be read next: of the owner who had least, and the first of those. -1 where there is none. */
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
    for (const owner of byUse.slice(0, OWNERS_AT_MOST / 2)) this.#used.delete(owner);
  }
}
