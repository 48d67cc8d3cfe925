import {
  type ExtractionRequest,
  type ExtractionResult,
  type ExtractorLoad,
  READING_BUDGET_MS,
  type TextExtractor,
} from '@outdial/core';
import { type Box, plainBox } from './box/box.ts';
import { ExtractionChild, type HandedFile } from './extraction-child.ts';
import { FileSizeError } from './file-size-error.ts';
import { HurriedPlace, type WaitingFile } from './hurried-place.ts';
import type { ExtractionLimits } from './limits.ts';
import { ReadingTimes } from './reading-times.ts';
import { Semaphore } from './semaphore.ts';

export interface ExtractionPoolOptions {
  /** Files read at the same time; further ones wait. */
  concurrency: number;
  limits: ExtractionLimits;
  /** In which the processes run; Node's own permissions unless given. */
  box?: Box;
  /**
   * A child that has read this many files makes room for a fresh one, as one that has grown large does: what a parser leaks
   * ends with it. A fresh one takes a hundred files to become as fast.
   */
  filesPerChild?: number;
}

/**
 * Extracts files in processes of their own. Beside those at work there is one more, warm: it is handed the next file
 * already, and begins with it as soon as there is a place, or at once after a crash. Small files, which come whole, go one after the
 * other to the process that reads already.
 */
export function createExtractionPool(options: ExtractionPoolOptions): TextExtractor {
  return new ExtractionPool(options);
}

/** Small files that a child has at a time: one that it reads, and some for the time until it gets another. */
const HANDED_AHEAD = 3;
/** What a child has got and has not begun after so long is read by another one. */
const TAKEN_BACK_AFTER_MS = 1_000;
/** Small files that may go before a larger one that waits. */
const SMALL_IN_A_ROW = 20;
/** Files of one owner are read in a row while others had no less of the time than this. */
const IN_A_ROW_MS = 250;
/** Where all places were taken for so long, one file at a time is read beside them, */
const STUCK_AFTER_MS = 300;
/** and for no longer than this. */
const HURRIED_MS = 1_000;
const putOff: ExtractionResult = { kind: 'put_off', isSlow: false };

class ExtractionPool implements TextExtractor {
  readonly #limits: ExtractionLimits;
  readonly #box: Box;
  readonly #filesPerChild: number;
  readonly #concurrency: number;
  readonly #toBeFed: Semaphore;
  readonly #toBeRead: Semaphore;
  readonly #small: SmallFile[] = [];
  #smallReaders = 0;
  readonly #large = new Set<WaitingFile>();
  readonly #times = new ReadingTimes();
  /** When each of the files was begun that are being read, but for the hurried one. */
  readonly #begunAtMs = new Set<{ atMs: number }>();
  readonly #hurried: HurriedPlace;
  readonly #idle: WarmChild[] = [];
  readonly #alive = new Set<ExtractionChild>();
  readonly #closed = new AbortController();

  constructor({ concurrency, limits, box = plainBox, filesPerChild = 10_000 }: ExtractionPoolOptions) {
    this.#limits = limits;
    this.#box = box;
    this.#filesPerChild = filesPerChild;
    this.#concurrency = concurrency;
    this.#toBeFed = new Semaphore(concurrency + 1);
    this.#toBeRead = new Semaphore(concurrency);
    this.#hurried = new HurriedPlace({
      isStuck: () => this.#isStuck,
      waiting: () => this.#waiting(),
      mayHurry: ({ owner, isSlow }) =>
        !isSlow && this.#times.of(owner, performance.now()) < READING_BUDGET_MS,
      choose: (waiting) => this.#times.indexOfNext(waiting, performance.now()),
      lookEveryMs: STUCK_AFTER_MS,
    });
    this.#keepWarm();
  }

  get load(): ExtractorLoad {
    if (this.#isStuck) return 'stuck';
    const isFree =
      this.#begunAtMs.size < this.#concurrency && this.#large.size === 0 && this.#small.length === 0;
    return isFree ? 'free' : 'busy';
  }

  extract(request: ExtractionRequest, signal: AbortSignal): Promise<ExtractionResult> {
    const ended = AbortSignal.any([signal, this.#closed.signal]);
    const { bytes } = request;
    if (!(bytes instanceof Uint8Array)) return this.#extractLarge(request, bytes, ended);
    const result = this.#whenRead(request, bytes, ended);
    this.#callReader();
    this.#hurried.watch();
    return result;
  }

  #callReader(): void {
    if (this.#smallReaders >= this.#concurrency) return;
    this.#smallReaders++;
    void this.#readSmall();
  }

  async #extractLarge(
    request: ExtractionRequest,
    bytes: AsyncIterable<Uint8Array>,
    ended: AbortSignal,
  ): Promise<ExtractionResult> {
    const place = await this.#enter(this.#toBeFed, request, ended);
    if (place === 'put_off') return putOff;
    try {
      const warm = await this.#takeChild();
      try {
        const handed = await warm.child.feed(request, bytes, ended);
        if (place === 'ordinary') return await this.#read(warm, handed, ended);
        warm.child.begin();
        return await this.#timed(warm, handed, ended, HURRIED_MS);
      } finally {
        warm.files++;
        this.#putBack(warm);
      }
    } finally {
      if (place === 'ordinary') this.#toBeFed.leave();
      else this.#hurried.leave();
    }
  }

  /** Waits for an ordinary place, or for the hurried one where that comes first. */
  async #enter(
    places: Semaphore,
    { owner, isSlow }: ExtractionRequest,
    ended: AbortSignal,
  ): Promise<'ordinary' | 'hurried' | 'put_off'> {
    let instead: 'hurried' | 'put_off' | undefined;
    const leave = new AbortController();
    const goTo = (where: 'hurried' | 'put_off') => () => {
      instead = where;
      this.#large.delete(waiting);
      leave.abort();
    };
    const waiting: WaitingFile = {
      owner,
      isSlow: isSlow === true,
      hurry: goTo('hurried'),
      putOff: goTo('put_off'),
    };
    this.#large.add(waiting);
    this.#hurried.watch();
    try {
      await places.enter(AbortSignal.any([ended, leave.signal]));
    } catch (error) {
      if (!ended.aborted && instead) return instead;
      if (instead === 'hurried') this.#hurried.leave();
      throw error;
    } finally {
      this.#large.delete(waiting);
    }
    // Both came at once.
    if (instead === 'hurried') this.#hurried.leave();
    return 'ordinary';
  }

  get #isStuck(): boolean {
    if (this.#begunAtMs.size < this.#concurrency) return false;
    const before = performance.now() - STUCK_AFTER_MS;
    return [...this.#begunAtMs].every(({ atMs }) => atMs <= before);
  }

  /** What has no place yet. */
  #waiting(): WaitingFile[] {
    const small = this.#small.map((file) => ({
      owner: file.request.owner,
      isSlow: file.request.isSlow === true,
      hurry: () => void this.#hurrySmall(file),
      putOff: () => {
        this.#small.splice(this.#small.indexOf(file), 1);
        file.resolve(putOff);
      },
    }));
    return [...this.#large, ...small];
  }

  async #hurrySmall(file: SmallFile): Promise<void> {
    this.#small.splice(this.#small.indexOf(file), 1);
    try {
      const warm = await this.#takeChild();
      warm.files++;
      const handed = warm.child.hand(file.request, file.bytes);
      await this.#timed(warm, handed, file.signal, HURRIED_MS).then(file.resolve, file.reject);
      this.#putBack(warm);
    } catch (error) {
      file.reject(error);
    } finally {
      this.#hurried.leave();
    }
  }

  /** Reads a file, and counts the time against its owner. */
  async #timed(
    warm: WarmChild,
    handed: HandedFile,
    signal: AbortSignal,
    hurryMs?: number,
  ): Promise<ExtractionResult> {
    const begun = { atMs: performance.now() };
    if (hurryMs === undefined) this.#begunAtMs.add(begun);
    try {
      return await warm.child.extract(handed, signal, hurryMs);
    } finally {
      this.#begunAtMs.delete(begun);
      const nowMs = performance.now();
      this.#times.add(handed.request.owner, nowMs - begun.atMs, nowMs);
    }
  }

  async close(): Promise<void> {
    this.#closed.abort(new ExtractorClosedError());
    this.#hurried.close();
    for (const child of this.#alive) child.kill();
    await Promise.all([...this.#alive].map((child) => child.exited));
  }

  async #read(warm: WarmChild, handed: HandedFile, ended: AbortSignal): Promise<ExtractionResult> {
    let place: 'ordinary' | 'hurried' | 'put_off';
    try {
      place = await this.#enter(this.#toBeRead, handed.request, ended);
    } catch (error) {
      // It holds a file that nobody wants any more.
      warm.child.kill();
      throw error;
    }
    if (place === 'put_off') {
      warm.child.kill();
      return putOff;
    }
    try {
      warm.child.begin();
      return await this.#timed(warm, handed, ended, place === 'hurried' ? HURRIED_MS : undefined);
    } finally {
      if (place === 'ordinary') this.#toBeRead.leave();
      else this.#hurried.leave();
    }
  }

  /** Puts a small file in line. It is given up at once when nobody wants it any more, even where a child has it already. */
  #whenRead(request: ExtractionRequest, bytes: Uint8Array, signal: AbortSignal): Promise<ExtractionResult> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      if (bytes.length !== request.sizeBytes) throw new FileSizeError(request.sizeBytes, bytes.length);
      const abort = () => {
        const at = this.#small.indexOf(file);
        if (at >= 0) this.#small.splice(at, 1);
        reject(signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason)));
      };
      const settled =
        <Value>(settle: (value: Value) => void) =>
        (value: Value) => {
          signal.removeEventListener('abort', abort);
          settle(value);
        };
      const file = { request, bytes, signal, resolve: settled(resolve), reject: settled(reject) };
      signal.addEventListener('abort', abort, { once: true });
      this.#small.push(file);
    });
  }

  /** Reads small files while there are any; a larger one comes in between. */
  async #readSmall(): Promise<void> {
    try {
      while (this.#small.length > 0) {
        await this.#toBeFed.enter(this.#closed.signal);
        try {
          await this.#toBeRead.enter(this.#closed.signal);
          try {
            await this.#readSmallIn(await this.#takeChild());
          } finally {
            this.#toBeRead.leave();
          }
        } finally {
          this.#toBeFed.leave();
        }
      }
    } catch (error) {
      // No child can be started, or no more shall be.
      for (const { reject } of this.#small.splice(0)) reject(error);
    } finally {
      this.#smallReaders--;
    }
  }

  async #readSmallIn(warm: WarmChild): Promise<void> {
    const handed: Array<{ file: SmallFile; handed: HandedFile }> = [];
    const isWanted = () => this.#toBeFed.isWanted || this.#toBeRead.isWanted;
    let last: SmallFile | undefined;
    for (let turn = 1; ; turn++) {
      const mayTakeMore = this.#mayReadOn(warm) && (turn <= SMALL_IN_A_ROW || !isWanted());
      while (mayTakeMore && handed.length < HANDED_AHEAD) {
        const file = this.#takeSmall(last?.request.owner, { isBehind: handed.length > 0 });
        if (!file) break;
        last = file;
        try {
          handed.push({ file, handed: warm.child.hand(file.request, file.bytes) });
        } catch (error) {
          // Nothing is known of what the child has got.
          warm.child.kill();
          file.reject(error);
          break;
        }
      }
      const oldest = handed.shift();
      if (!oldest) break;
      warm.files++;
      const takeBack = setTimeout(() => this.#takeBack(warm, handed.splice(0)), TAKEN_BACK_AFTER_MS);
      await this.#timed(warm, oldest.handed, oldest.file.signal).then(
        oldest.file.resolve,
        oldest.file.reject,
      );
      clearTimeout(takeBack);
      // What it left in memory is not charged to those behind it.
      if (warm.child.isBloated) warm.child.kill();
      // They have nothing to do with what it did.
      if (!warm.child.alive) this.#takeBack(warm, handed.splice(0));
    }
    this.#putBack(warm);
  }

  /** Files that a child has and has not begun go to others; it would read them all the same, and is of no more use after this one. */
  #takeBack(warm: WarmChild, handed: ReadonlyArray<{ file: SmallFile }>): void {
    if (handed.length === 0) return;
    warm.isDone = true;
    const files = handed.map(({ file }) => file);
    this.#small.unshift(...files.filter(({ signal }) => !signal.aborted));
    this.#callReader();
    this.#hurried.watch();
  }

  /** The small file that is next. Behind others that a child has already only one of the same owner: it would wait for those. */
  #takeSmall(lastOwner: string | undefined, { isBehind }: { isBehind: boolean }): SmallFile | undefined {
    const nowMs = performance.now();
    const files = this.#small.map(({ request }) => ({ owner: request.owner }));
    let at = this.#times.indexOfNext(files, nowMs);
    const inARow = files.findIndex(({ owner }) => owner === lastOwner);
    const aheadMs = this.#times.of(lastOwner, nowMs) - this.#times.of(files[at]?.owner, nowMs);
    if (inARow >= 0 && aheadMs <= IN_A_ROW_MS) at = inARow;
    if (at < 0 || (isBehind && files[at]?.owner !== lastOwner)) return undefined;
    return this.#small.splice(at, 1)[0];
  }

  async #takeChild(): Promise<WarmChild> {
    for (let attempt = 1; ; attempt++) {
      this.#closed.signal.throwIfAborted();
      const warm = this.#idle.shift() ?? this.#start();
      try {
        await warm.ready;
        if (warm.child.alive) return warm;
      } catch (error) {
        this.#closed.signal.throwIfAborted();
        if (attempt >= 3) throw error;
      }
    }
  }

  #putBack(warm: WarmChild): void {
    if (this.#mayReadOn(warm)) this.#idle.unshift(warm);
    else warm.child.kill();
  }

  #mayReadOn(warm: WarmChild): boolean {
    return warm.child.alive && !warm.isDone && warm.files < this.#filesPerChild && !warm.child.isBloated;
  }

  #keepWarm(): void {
    if (!this.#closed.signal.aborted && this.#alive.size <= this.#concurrency) this.#idle.push(this.#start());
  }

  #start(): WarmChild {
    const child = new ExtractionChild(this.#limits, this.#box);
    this.#alive.add(child);
    void this.#replaceWhenGone(child);
    const ready = child.ready();
    // Awaited when it is taken.
    ready.catch(() => undefined);
    return { child, ready, files: 0, isDone: false };
  }

  async #replaceWhenGone(child: ExtractionChild): Promise<void> {
    const wasReady = await Promise.race([
      child.ready().then(() => true),
      child.exited.then(() => false),
    ]).catch(() => false);
    await child.exited;
    this.#alive.delete(child);
    const at = this.#idle.findIndex((warm) => warm.child === child);
    if (at >= 0) this.#idle.splice(at, 1);
    // One that could not even start is not tried again before there is need.
    if (wasReady) this.#keepWarm();
  }
}

/** A file that is there whole, and waits. */
interface SmallFile {
  request: ExtractionRequest;
  bytes: Uint8Array;
  signal: AbortSignal;
  resolve: (result: ExtractionResult) => void;
  reject: (error: unknown) => void;
}

interface WarmChild {
  child: ExtractionChild;
  ready: Promise<void>;
  files: number;
  /** It reads nothing more. */
  isDone: boolean;
}

/** The extractor is shutting down. */
export class ExtractorClosedError extends Error {
  readonly code = 'extractor_closed';

  constructor() {
    super('the extractor is closed');
    this.name = 'ExtractorClosedError';
  }
}
