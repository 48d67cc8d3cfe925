import type { ExtractionRequest, ExtractionResult, ExtractorLoad, TextExtractor } from '@outdial/core';
import { type Box, plainBox } from './box/box.ts';
import type { HandedFile } from './extraction-child.ts';
import type { WaitingFile } from './express-slot.ts';
import type { ExtractionLimits } from './limits.ts';
import { ReaderSlots } from './reader-slots.ts';
import { ReadingTimes } from './reading-times.ts';
import { type SmallFile, SmallFiles } from './small-files.ts';
import { type WarmChild, WarmChildren } from './warm-children.ts';

export interface ExtractionPoolOptions {
  /** How many files are read at the same time. Further files wait. */
  concurrency: number;
  limits: ExtractionLimits;
  /** The box in which the processes run. By default, only Node's own permissions apply. */
  box?: Box;
  /**
   * A child is replaced after this many files, or when it has grown large, because parsers leak memory. A new child takes a hundred files to become
   * as fast.
   */
  filesPerChild?: number;
}

/**
 * Extracts files in child processes. One more child than there are slots is kept warm: it already has the next file, and begins as soon as a slot is
 * free, or at once after a crash. Small files are sent one after the other to a child that is already reading.
 */
export function createExtractionPool(options: ExtractionPoolOptions): TextExtractor {
  return new ExtractionPool(options);
}

/** How many small files a child has at a time: the one that it reads, and some more so that it never idles. */
const handedAhead = 3;
/** If a child has not begun a file after this time, another child reads the file. */
const returnedAfterMs = 1_000;
/** How many small files in a row may go ahead of a larger file that waits. */
const smallInARow = 20;
const putOff: ExtractionResult = { kind: 'put_off', isSlow: false };

class ExtractionPool implements TextExtractor {
  readonly #concurrency: number;
  readonly #closed = new AbortController();
  readonly #children: WarmChildren;
  readonly #small: SmallFiles;
  readonly #slots: ReaderSlots;
  #smallReaders = 0;

  constructor({ concurrency, limits, box = plainBox, filesPerChild = 10_000 }: ExtractionPoolOptions) {
    this.#concurrency = concurrency;
    const times = new ReadingTimes();
    this.#small = new SmallFiles(times);
    this.#slots = new ReaderSlots(concurrency, times, () => this.#waitingSmall());
    this.#children = new WarmChildren(
      { count: concurrency + 1, filesPerChild, limits, box },
      this.#closed.signal,
    );
  }

  get load(): ExtractorLoad {
    return this.#slots.load;
  }

  extract(request: ExtractionRequest, signal: AbortSignal): Promise<ExtractionResult> {
    const ended = AbortSignal.any([signal, this.#closed.signal]);
    const { bytes } = request;
    if (!(bytes instanceof Uint8Array)) return this.#extractLarge(request, bytes, ended);
    const result = this.#small.add(request, bytes, ended);
    this.#startReader();
    this.#slots.express.watch();
    return result;
  }

  async close(): Promise<void> {
    this.#closed.abort(new ExtractorClosedError());
    this.#slots.express.close();
    await this.#children.killAll();
  }

  async #extractLarge(
    request: ExtractionRequest,
    bytes: AsyncIterable<Uint8Array>,
    ended: AbortSignal,
  ): Promise<ExtractionResult> {
    const { feedSlots } = this.#slots;
    const slot = await this.#slots.enter(feedSlots, request, ended);
    if (slot === 'put_off') return putOff;
    try {
      const warm = await this.#children.take();
      try {
        const handed = await warm.child.feed(request, bytes, ended);
        if (slot === 'regular') return await this.#readFed(warm, handed, ended);
        warm.child.begin();
        return await this.#slots.read(warm.child, handed, { slot, signal: ended });
      } finally {
        warm.files++;
        this.#children.putBack(warm);
      }
    } finally {
      this.#slots.leave(feedSlots, slot);
    }
  }

  /** Waits for a slot, and then lets the child read the file that was fed to it. */
  async #readFed(warm: WarmChild, handed: HandedFile, ended: AbortSignal): Promise<ExtractionResult> {
    const { readSlots } = this.#slots;
    const slot = await this.#slots.enter(readSlots, handed.request, ended).catch((error: unknown) => {
      // The child holds a file that is no longer needed.
      warm.child.kill();
      throw error;
    });
    if (slot === 'put_off') {
      warm.child.kill();
      return putOff;
    }
    try {
      warm.child.begin();
      return await this.#slots.read(warm.child, handed, { slot, signal: ended });
    } finally {
      this.#slots.leave(readSlots, slot);
    }
  }

  #waitingSmall(): WaitingFile[] {
    return this.#small.waiting.map((file) => ({
      owner: file.request.owner,
      isSlow: file.request.isSlow === true,
      readExpress: () => void this.#readExpress(file),
      putOff: () => {
        this.#small.remove(file);
        file.resolve(putOff);
      },
    }));
  }

  async #readExpress(file: SmallFile): Promise<void> {
    this.#small.remove(file);
    try {
      const warm = await this.#children.take();
      warm.files++;
      const handed = warm.child.hand(file.request, file.bytes);
      await this.#slots
        .read(warm.child, handed, { slot: 'express', signal: file.signal })
        .then(file.resolve, file.reject);
      this.#children.putBack(warm);
    } catch (error) {
      file.reject(error);
    } finally {
      this.#slots.express.leave();
    }
  }

  #startReader(): void {
    if (this.#smallReaders >= this.#concurrency) return;
    this.#smallReaders++;
    void this.#readSmall();
  }

  /** Reads small files while there are any. Larger files get their turn in between. */
  async #readSmall(): Promise<void> {
    const { feedSlots, readSlots } = this.#slots;
    try {
      while (!this.#small.isEmpty) {
        await feedSlots.enter(this.#closed.signal);
        try {
          await readSlots.enter(this.#closed.signal);
          try {
            await this.#readSmallIn(await this.#children.take());
          } finally {
            readSlots.leave();
          }
        } finally {
          feedSlots.leave();
        }
      }
    } catch (error) {
      // No child can be started, or the pool is closed.
      this.#small.rejectAll(error);
    } finally {
      this.#smallReaders--;
    }
  }

  async #readSmallIn(warm: WarmChild): Promise<void> {
    const { feedSlots, readSlots } = this.#slots;
    const handed: HandedSmallFile[] = [];
    let lastOwner: string | undefined;
    for (let turn = 1; ; turn++) {
      const isWanted = feedSlots.isWanted || readSlots.isWanted;
      if (this.#children.isReusable(warm) && (turn <= smallInARow || !isWanted)) {
        lastOwner = this.#handSmall(warm, handed, lastOwner);
      }
      const oldest = handed.shift();
      if (!oldest) break;
      warm.files++;
      const returning = setTimeout(() => this.#returnToQueue(warm, handed.splice(0)), returnedAfterMs);
      const { file } = oldest;
      await this.#slots
        .read(warm.child, oldest.handed, { slot: 'regular', signal: file.signal })
        .then(file.resolve, file.reject);
      clearTimeout(returning);
      // The memory that this file left behind must not make later files fail.
      if (warm.child.isBloated) warm.child.kill();
      // The files that it has not begun are not at fault.
      if (!warm.child.alive) this.#returnToQueue(warm, handed.splice(0));
    }
    this.#children.putBack(warm);
  }

  /** Sends a child as many files as it may have at a time. Returns the owner of the last one. */
  #handSmall(warm: WarmChild, handed: HandedSmallFile[], lastOwner: string | undefined): string | undefined {
    let owner = lastOwner;
    while (handed.length < handedAhead) {
      const file = this.#small.takeNext(owner, { isBehind: handed.length > 0 });
      if (!file) break;
      ({ owner } = file.request);
      try {
        handed.push({ file, handed: warm.child.hand(file.request, file.bytes) });
      } catch (error) {
        // It is unknown how much of the file the child has received.
        warm.child.kill();
        file.reject(error);
        break;
      }
    }
    return owner;
  }

  /** Queues the files again that a child has not begun. The child would still read them, so it is not used after its current file. */
  #returnToQueue(warm: WarmChild, handed: readonly HandedSmallFile[]): void {
    if (handed.length === 0) return;
    warm.isDone = true;
    this.#small.putBack(handed.map(({ file }) => file));
    this.#startReader();
    this.#slots.express.watch();
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
