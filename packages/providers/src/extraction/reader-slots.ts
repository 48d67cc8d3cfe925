import {
  type ExtractionRequest,
  type ExtractionResult,
  type ExtractorLoad,
  readingBudgetMs,
} from '@outdial/core';
import type { ExtractionChild, HandedFile } from './extraction-child.ts';
import { ExpressSlot, type WaitingFile } from './express-slot.ts';
import type { ReadingTimes } from './reading-times.ts';
import { Semaphore } from './semaphore.ts';

/** The kind of slot in which a file is read. The express slot is used for a moment while all regular slots are stuck. */
export type Slot = 'regular' | 'express';

/** Once all regular slots have been occupied for this long, files are also read in the express slot, one at a time. */
const stuckAfterMs = 300;
/** How long a file may be read in the express slot. */
const expressMs = 1_000;

/** The slots in which files are read, the files that wait for one, and the time that each owner has used. */
export class ReaderSlots {
  readonly #concurrency: number;
  readonly #times: ReadingTimes;
  readonly #waitingElsewhere: () => readonly WaitingFile[];
  /** One more than there are slots to read, so that the next child already has its file. */
  readonly feedSlots: Semaphore;
  readonly readSlots: Semaphore;
  readonly #waiting = new Set<WaitingFile>();
  /** When each file in a regular slot was begun. */
  readonly #begunAtMs = new Set<{ atMs: number }>();
  readonly express: ExpressSlot;

  /** @param waitingElsewhere returns the files that wait without a call of `enter` */
  constructor(concurrency: number, times: ReadingTimes, waitingElsewhere: () => readonly WaitingFile[]) {
    this.#concurrency = concurrency;
    this.#times = times;
    this.#waitingElsewhere = waitingElsewhere;
    this.feedSlots = new Semaphore(concurrency + 1);
    this.readSlots = new Semaphore(concurrency);
    this.express = new ExpressSlot({
      isStuck: () => this.#isStuck,
      waiting: () => this.#allWaiting(),
      isEligible: ({ owner, isSlow }) => !isSlow && times.of(owner, performance.now()) < readingBudgetMs,
      choose: (waiting) => times.indexOfNext(waiting, performance.now()),
      checkEveryMs: stuckAfterMs,
    });
  }

  get load(): ExtractorLoad {
    if (this.#isStuck) return 'stuck';
    const isFree = this.#begunAtMs.size < this.#concurrency && this.#allWaiting().length === 0;
    return isFree ? 'free' : 'busy';
  }

  /** Waits for a regular slot, or for the express slot if that comes first. */
  async enter(
    slots: Semaphore,
    { owner, isSlow }: ExtractionRequest,
    ended: AbortSignal,
  ): Promise<Slot | 'put_off'> {
    let instead: 'express' | 'put_off' | undefined;
    const leave = new AbortController();
    const goTo = (where: 'express' | 'put_off') => () => {
      instead = where;
      this.#waiting.delete(waiting);
      leave.abort();
    };
    const waiting: WaitingFile = {
      owner,
      isSlow: isSlow === true,
      readExpress: goTo('express'),
      putOff: goTo('put_off'),
    };
    this.#waiting.add(waiting);
    this.express.watch();
    try {
      await slots.enter(AbortSignal.any([ended, leave.signal]));
    } catch (error) {
      if (!ended.aborted && instead) return instead;
      if (instead === 'express') this.express.leave();
      throw error;
    } finally {
      this.#waiting.delete(waiting);
    }
    // Both slots came at once. The file uses the regular one.
    if (instead === 'express') this.express.leave();
    return 'regular';
  }

  leave(slots: Semaphore, slot: Slot): void {
    if (slot === 'regular') slots.leave();
    else this.express.leave();
  }

  /** Reads a file, and counts the time against its owner. */
  async read(
    child: ExtractionChild,
    handed: HandedFile,
    { slot, signal }: { slot: Slot; signal: AbortSignal },
  ): Promise<ExtractionResult> {
    const begun = { atMs: performance.now() };
    if (slot === 'regular') this.#begunAtMs.add(begun);
    try {
      return await child.extract(handed, signal, slot === 'regular' ? undefined : expressMs);
    } finally {
      this.#begunAtMs.delete(begun);
      const nowMs = performance.now();
      this.#times.add(handed.request.owner, nowMs - begun.atMs, nowMs);
    }
  }

  get #isStuck(): boolean {
    if (this.#begunAtMs.size < this.#concurrency) return false;
    const before = performance.now() - stuckAfterMs;
    return [...this.#begunAtMs].every(({ atMs }) => atMs <= before);
  }

  #allWaiting(): WaitingFile[] {
    return [...this.#waiting, ...this.#waitingElsewhere()];
  }
}
