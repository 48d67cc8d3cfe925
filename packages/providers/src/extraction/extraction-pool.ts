import type { ExtractionRequest, ExtractionResult, ExtractorLoad, TextExtractor } from '@outdial/core';
import { type Box, plainBox } from './box/box.ts';
import type { HandedFile } from './extraction-child.ts';
import type { WaitingFile } from './hurried-place.ts';
import type { ExtractionLimits } from './limits.ts';
import { ReadingPlaces } from './reading-places.ts';
import { ReadingTimes } from './reading-times.ts';
import { type SmallFile, SmallFiles } from './small-files.ts';
import { type WarmChild, WarmChildren } from './warm-children.ts';

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
const handedAhead = 3;
/** A file that a child has got and has not begun after so long is read by another one. */
const returnedAfterMs = 1_000;
/** Small files that may go before a larger one that waits. */
const smallInARow = 20;
const putOff: ExtractionResult = { kind: 'put_off', isSlow: false };

class ExtractionPool implements TextExtractor {
  readonly #concurrency: number;
  readonly #closed = new AbortController();
  readonly #children: WarmChildren;
  readonly #small: SmallFiles;
  readonly #places: ReadingPlaces;
  #smallReaders = 0;

  constructor({ concurrency, limits, box = plainBox, filesPerChild = 10_000 }: ExtractionPoolOptions) {
    this.#concurrency = concurrency;
    const times = new ReadingTimes();
    this.#small = new SmallFiles(times);
    this.#places = new ReadingPlaces(concurrency, times, () => this.#waitingSmall());
    this.#children = new WarmChildren(
      { count: concurrency + 1, filesPerChild, limits, box },
      this.#closed.signal,
    );
  }

  get load(): ExtractorLoad {
    return this.#places.load;
  }

  extract(request: ExtractionRequest, signal: AbortSignal): Promise<ExtractionResult> {
    const ended = AbortSignal.any([signal, this.#closed.signal]);
    const { bytes } = request;
    if (!(bytes instanceof Uint8Array)) return this.#extractLarge(request, bytes, ended);
    const result = this.#small.add(request, bytes, ended);
    this.#callReader();
    this.#places.hurried.watch();
    return result;
  }

  async close(): Promise<void> {
    this.#closed.abort(new ExtractorClosedError());
    this.#places.hurried.close();
    await this.#children.killAll();
  }

  async #extractLarge(
    request: ExtractionRequest,
    bytes: AsyncIterable<Uint8Array>,
    ended: AbortSignal,
  ): Promise<ExtractionResult> {
    const { toBeFed } = this.#places;
    const place = await this.#places.enter(toBeFed, request, ended);
    if (place === 'put_off') return putOff;
    try {
      const warm = await this.#children.take();
      try {
        const handed = await warm.child.feed(request, bytes, ended);
        if (place === 'ordinary') return await this.#readFed(warm, handed, ended);
        warm.child.begin();
        return await this.#places.read(warm.child, handed, { place, signal: ended });
      } finally {
        warm.files++;
        this.#children.putBack(warm);
      }
    } finally {
      this.#places.leave(toBeFed, place);
    }
  }

  /** Has a child read what it was fed with, once there is a place. */
  async #readFed(warm: WarmChild, handed: HandedFile, ended: AbortSignal): Promise<ExtractionResult> {
    const { toBeRead } = this.#places;
    const place = await this.#places.enter(toBeRead, handed.request, ended).catch((error: unknown) => {
      // It holds a file that is wanted no longer.
      warm.child.kill();
      throw error;
    });
    if (place === 'put_off') {
      warm.child.kill();
      return putOff;
    }
    try {
      warm.child.begin();
      return await this.#places.read(warm.child, handed, { place, signal: ended });
    } finally {
      this.#places.leave(toBeRead, place);
    }
  }

  #waitingSmall(): WaitingFile[] {
    return this.#small.waiting.map((file) => ({
      owner: file.request.owner,
      isSlow: file.request.isSlow === true,
      hurry: () => void this.#hurrySmall(file),
      putOff: () => {
        this.#small.remove(file);
        file.resolve(putOff);
      },
    }));
  }

  async #hurrySmall(file: SmallFile): Promise<void> {
    this.#small.remove(file);
    try {
      const warm = await this.#children.take();
      warm.files++;
      const handed = warm.child.hand(file.request, file.bytes);
      await this.#places
        .read(warm.child, handed, { place: 'hurried', signal: file.signal })
        .then(file.resolve, file.reject);
      this.#children.putBack(warm);
    } catch (error) {
      file.reject(error);
    } finally {
      this.#places.hurried.leave();
    }
  }

  #callReader(): void {
    if (this.#smallReaders >= this.#concurrency) return;
    this.#smallReaders++;
    void this.#readSmall();
  }

  /** Reads small files while there are any; a larger one comes in between. */
  async #readSmall(): Promise<void> {
    const { toBeFed, toBeRead } = this.#places;
    try {
      while (!this.#small.isEmpty) {
        await toBeFed.enter(this.#closed.signal);
        try {
          await toBeRead.enter(this.#closed.signal);
          try {
            await this.#readSmallIn(await this.#children.take());
          } finally {
            toBeRead.leave();
          }
        } finally {
          toBeFed.leave();
        }
      }
    } catch (error) {
      // No child can be started, or no more shall be.
      this.#small.rejectAll(error);
    } finally {
      this.#smallReaders--;
    }
  }

  async #readSmallIn(warm: WarmChild): Promise<void> {
    const { toBeFed, toBeRead } = this.#places;
    const handed: HandedSmallFile[] = [];
    let lastOwner: string | undefined;
    for (let turn = 1; ; turn++) {
      const isWanted = toBeFed.isWanted || toBeRead.isWanted;
      if (this.#children.mayReadOn(warm) && (turn <= smallInARow || !isWanted)) {
        lastOwner = this.#handSmall(warm, handed, lastOwner);
      }
      const oldest = handed.shift();
      if (!oldest) break;
      warm.files++;
      const returning = setTimeout(() => this.#returnToQueue(warm, handed.splice(0)), returnedAfterMs);
      const { file } = oldest;
      await this.#places
        .read(warm.child, oldest.handed, { place: 'ordinary', signal: file.signal })
        .then(file.resolve, file.reject);
      clearTimeout(returning);
      // Its leftovers in memory are not charged to later files.
      if (warm.child.isBloated) warm.child.kill();
      // They have nothing to do with what it did.
      if (!warm.child.alive) this.#returnToQueue(warm, handed.splice(0));
    }
    this.#children.putBack(warm);
  }

  /** Hands a child as many files as it may have at a time. Returns the owner of the last. */
  #handSmall(warm: WarmChild, handed: HandedSmallFile[], lastOwner: string | undefined): string | undefined {
    let owner = lastOwner;
    while (handed.length < handedAhead) {
      const file = this.#small.takeNext(owner, { isBehind: handed.length > 0 });
      if (!file) break;
      ({ owner } = file.request);
      try {
        handed.push({ file, handed: warm.child.hand(file.request, file.bytes) });
      } catch (error) {
        // Nothing is known of what the child has got.
        warm.child.kill();
        file.reject(error);
        break;
      }
    }
    return owner;
  }

  /** Files that a child has and has not begun go to others; it would read them all the same, and is of no more use after this one. */
  #returnToQueue(warm: WarmChild, handed: readonly HandedSmallFile[]): void {
    if (handed.length === 0) return;
    warm.isDone = true;
    this.#small.putBack(handed.map(({ file }) => file));
    this.#callReader();
    this.#places.hurried.watch();
  }
}

interface HandedSmallFile {
  file: SmallFile;
  handed: HandedFile;
}

/** The extractor is shutting down. */
export class ExtractorClosedError extends Error {
  readonly code = 'extractor_closed';

  constructor() {
    super('the extractor is closed');
    this.name = 'ExtractorClosedError';
  }
}
