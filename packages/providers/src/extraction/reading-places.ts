import {
  type ExtractionRequest,
  type ExtractionResult,
  type ExtractorLoad,
  READING_BUDGET_MS,
} from '@outdial/core';
import type { ExtractionChild, HandedFile } from './extraction-child.ts';
import { HurriedPlace, type WaitingFile } from './hurried-place.ts';
import type { ReadingTimes } from './reading-times.ts';
import { Semaphore } from './semaphore.ts';

/** Where a file is read: in an ordinary place, or for a moment beside those where they are stuck. */
export type Place = 'ordinary' | 'hurried';

/** Where all places were taken for so long, one file at a time is read beside them, */
const stuckAfterMs = 300;
/** and for no longer than this. */
const hurriedMs = 1_000;

/** The current readers, the waiting ones, and their times. */
export class ReadingPlaces {
  readonly #concurrency: number;
  readonly #times: ReadingTimes;
  readonly #waitingElsewhere: () => readonly WaitingFile[];
  /** One more than there are readers: the next child is handed its file already. */
  readonly toBeFed: Semaphore;
  readonly toBeRead: Semaphore;
  readonly #waiting = new Set<WaitingFile>();
  /** When each of the files was begun that are being read, but for the hurried one. */
  readonly #begunAtMs = new Set<{ atMs: number }>();
  readonly hurried: HurriedPlace;

  /** `waitingElsewhere` gives the files that wait without having asked for a place. */
  constructor(concurrency: number, times: ReadingTimes, waitingElsewhere: () => readonly WaitingFile[]) {
    this.#concurrency = concurrency;
    this.#times = times;
    this.#waitingElsewhere = waitingElsewhere;
    this.toBeFed = new Semaphore(concurrency + 1);
    this.toBeRead = new Semaphore(concurrency);
    this.hurried = new HurriedPlace({
      isStuck: () => this.#isStuck,
      waiting: () => this.#allWaiting(),
      mayHurry: ({ owner, isSlow }) => !isSlow && times.of(owner, performance.now()) < READING_BUDGET_MS,
      choose: (waiting) => times.indexOfNext(waiting, performance.now()),
      lookEveryMs: stuckAfterMs,
    });
  }

  get load(): ExtractorLoad {
    if (this.#isStuck) return 'stuck';
    const isFree = this.#begunAtMs.size < this.#concurrency && this.#allWaiting().length === 0;
    return isFree ? 'free' : 'busy';
  }

  /** Waits for an ordinary place, or for the hurried one where that comes first. */
  async enter(
    places: Semaphore,
    { owner, isSlow }: ExtractionRequest,
    ended: AbortSignal,
  ): Promise<Place | 'put_off'> {
    let instead: 'hurried' | 'put_off' | undefined;
    const leave = new AbortController();
    const goTo = (where: 'hurried' | 'put_off') => () => {
      instead = where;
      this.#waiting.delete(waiting);
      leave.abort();
    };
    const waiting: WaitingFile = {
      owner,
      isSlow: isSlow === true,
      hurry: goTo('hurried'),
      putOff: goTo('put_off'),
    };
    this.#waiting.add(waiting);
    this.hurried.watch();
    try {
      await places.enter(AbortSignal.any([ended, leave.signal]));
    } catch (error) {
      if (!ended.aborted && instead) return instead;
      if (instead === 'hurried') this.hurried.leave();
      throw error;
    } finally {
      this.#waiting.delete(waiting);
    }
    // Both came at once.
    if (instead === 'hurried') this.hurried.leave();
    return 'ordinary';
  }

  leave(places: Semaphore, place: Place): void {
    if (place === 'ordinary') places.leave();
    else this.hurried.leave();
  }

  /** Reads a file, and counts the time against its owner. */
  async read(
    child: ExtractionChild,
    handed: HandedFile,
    { place, signal }: { place: Place; signal: AbortSignal },
  ): Promise<ExtractionResult> {
    const begun = { atMs: performance.now() };
    if (place === 'ordinary') this.#begunAtMs.add(begun);
    try {
      return await child.extract(handed, signal, place === 'ordinary' ? undefined : hurriedMs);
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
