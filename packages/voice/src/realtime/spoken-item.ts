import { AsyncBuffer } from '../async-buffer.ts';
import { fromMuLaw } from '../audio/mu-law.ts';
import type { SpokenItem } from '../conversation/conversation.ts';

export interface SpokenItemWriter extends SpokenItem {
  addText(text: string): void;
  addSound(bytes: Uint8Array): void;
  end(error?: Error): void;
}

const bytesPerMs = 8;
/** Three minutes. No item is longer. */
const bytesAtMost = 180_000 * bytesPerMs;

export function spokenItem(id: string): SpokenItemWriter {
  const chunks = new AsyncBuffer<Uint8Array>();
  let words = '';
  let bytes = 0;
  return {
    id,
    text: () => words,
    ms: () => bytes / bytesPerMs,
    addText(text) {
      words += text;
    },
    addSound(sound) {
      if (chunks.isEnded || bytes + sound.length > bytesAtMost) return;
      bytes += sound.length;
      chunks.push(sound);
    },
    end: (error) => chunks.end(error),
    async *samples(signal) {
      for await (const chunk of chunks.read(signal)) yield fromMuLaw(chunk);
    },
  };
}
