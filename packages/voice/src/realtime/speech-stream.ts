import { fromMuLaw } from '../audio/mu-law.ts';

/** What a model says as one item: sound as it comes, and its words, which come beside it. */
export interface SpokenItem {
  id: string;
  text(): string;
  /** Made so far. */
  ms(): number;
  samples(signal: AbortSignal): AsyncGenerator<Int16Array<ArrayBuffer>, void, void>;
}

export interface SpokenItemWriter extends SpokenItem {
  addText(text: string): void;
  addSound(bytes: Uint8Array): void;
  end(error?: Error): void;
}

const bytesPerMs = 8;
/** Three minutes: longer than anything that is said in one go. */
const bytesAtMost = 180_000 * bytesPerMs;

export function spokenItem(id: string): SpokenItemWriter {
  const chunks: Uint8Array[] = [];
  let words = '';
  let bytes = 0;
  let isEnded = false;
  let failure: Error | null = null;
  let changed = Promise.withResolvers<void>();
  const change = () => {
    changed.resolve();
    changed = Promise.withResolvers<void>();
  };
  return {
    id,
    text: () => words,
    ms: () => bytes / bytesPerMs,
    addText(text) {
      words += text;
    },
    addSound(sound) {
      if (isEnded || bytes + sound.length > bytesAtMost) return;
      bytes += sound.length;
      chunks.push(sound);
      change();
    },
    end(error) {
      if (isEnded) return;
      isEnded = true;
      failure = error ?? null;
      change();
    },
    async *samples(signal) {
      signal.addEventListener('abort', change, { once: true });
      while (!signal.aborted) {
        const next = chunks.shift();
        if (next !== undefined) yield fromMuLaw(next);
        else if (failure !== null) throw failure;
        else if (isEnded) return;
        else await changed.promise;
      }
    },
  };
}
