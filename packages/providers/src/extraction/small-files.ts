import type { ExtractionRequest, ExtractionResult } from '@outdial/core';
import { FileSizeError } from './file-size-error.ts';
import type { ReadingTimes } from './reading-times.ts';

/** A file that is there whole, and waits. */
export interface SmallFile {
  request: ExtractionRequest;
  bytes: Uint8Array;
  signal: AbortSignal;
  resolve: (result: ExtractionResult) => void;
  reject: (error: unknown) => void;
}

/** Files of one owner are read in a row while others had no less of the time than this. */
const inARowMs = 250;

/** Small files that wait. The owner who had least of the readers' time comes first. */
export class SmallFiles {
  #files: SmallFile[] = [];
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

  /** Puts a file in line. Rejects as soon as the signal is aborted, even where a child has the file already. */
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

  /** Files that were taken and not begun are the first again. */
  putBack(files: readonly SmallFile[]): void {
    this.#files.unshift(...files.filter(({ signal }) => !signal.aborted));
  }

  rejectAll(error: unknown): void {
    for (const { reject } of this.#files.splice(0)) reject(error);
  }

  /** The file that is next. Behind others that a child has already only one of the same owner: it would wait for those. */
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
