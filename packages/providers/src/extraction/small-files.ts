import type { ExtractionRequest, ExtractionResult } from '@outdial/core';
import { FileSizeError } from './file-size-error.ts';
import type { ReadingTimes } from './reading-times.ts';

/** A waiting file that is already in memory. */
export interface SmallFile {
  request: ExtractionRequest;
  bytes: Uint8Array;
  signal: AbortSignal;
  resolve: (result: ExtractionResult) => void;
  reject: (error: unknown) => void;
}

/** Files of one owner are read in a row until the owner is this far ahead of the others in reading time. */
const inARowMs = 250;

/** The queue of small files. The owner with the least reading time comes first. */
export class SmallFiles {
  readonly #files: SmallFile[] = [];
  readonly #times: ReadingTimes;

  constructor(times: ReadingTimes) {
    this.#times = times;
  }

  get isEmpty(): boolean {
    return this.#files.length === 0;
  }

  get waiting(): readonly SmallFile[] {
    return this.#files;
  }

  /** Queues a file. Rejects as soon as the signal aborts, even if a child already has the file. */
  add(request: ExtractionRequest, bytes: Uint8Array, signal: AbortSignal): Promise<ExtractionResult> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      if (bytes.length !== request.sizeBytes) throw new FileSizeError(request.sizeBytes, bytes.length);
      const abort = () => {
        this.remove(file);
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
      this.#files.push(file);
    });
  }

  remove(file: SmallFile): void {
    const at = this.#files.indexOf(file);
    if (at >= 0) this.#files.splice(at, 1);
  }

  /** Puts files that were taken, but not begun, back to the front. */
  putBack(files: readonly SmallFile[]): void {
    this.#files.unshift(...files.filter(({ signal }) => !signal.aborted));
  }

  rejectAll(error: unknown): void {
    for (const { reject } of this.#files.splice(0)) reject(error);
  }

  /**
   * Takes the next file.
   * @param isBehind the child already has other files, for which this file would wait; so it must be of the same owner
   */
  takeNext(lastOwner: string | undefined, { isBehind }: { isBehind: boolean }): SmallFile | undefined {
    const nowMs = performance.now();
    const files = this.#files.map(({ request }) => ({ owner: request.owner }));
    let at = this.#times.indexOfNext(files, nowMs);
    const inARow = files.findIndex(({ owner }) => owner === lastOwner);
    const aheadMs = this.#times.of(lastOwner, nowMs) - this.#times.of(files[at]?.owner, nowMs);
    if (inARow >= 0 && aheadMs <= inARowMs) at = inARow;
    if (at < 0 || (isBehind && files[at]?.owner !== lastOwner)) return undefined;
    return this.#files.splice(at, 1)[0];
  }
}
