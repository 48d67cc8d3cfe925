import type { SpokenItem } from '../realtime/speech-stream.ts';

/** Makes the pieces of an answer audio, one after the other, faster than they are played. */
export interface Speaker {
  say(answer: number, text: string, sound?: SpokenItem): void;
  /** What is not made yet is not made. */
  drop(): void;
}

export function createSpeaker(args: {
  speak: (text: string, signal: AbortSignal) => AsyncIterable<Int16Array>;
  /** @param piece `words`: what is said by now, where that is known only as it is spoken */
  onAudio: (
    piece: { answer: number; index: number; words: string | null },
    samples: Int16Array,
    done: boolean,
  ) => void;
  /** What was really said of a text, where a model has spoken it. */
  wordsSaid?: ((text: string) => string | null) | undefined;
  onFailed: (answer: number, error: unknown) => void;
}): Speaker {
  let queue: Array<{ answer: number; index: number; text: string; sound: SpokenItem | undefined }> = [];
  const counts = { answer: 0, pieces: 0 };
  let abort = new AbortController();
  let isMaking = false;

  async function make({ signal }: AbortController): Promise<void> {
    for (let piece = queue.shift(); piece !== undefined; piece = queue.shift()) {
      const { answer, index, text, sound } = piece;
      const now = () => ({ answer, index, words: sound?.text() ?? args.wordsSaid?.(text) ?? null });
      try {
        for await (const samples of sound?.samples(signal) ?? args.speak(text, signal)) {
          if (signal.aborted) return;
          args.onAudio(now(), samples, false);
        }
        if (signal.aborted) return;
        args.onAudio(now(), new Int16Array(), true);
      } catch (error) {
        if (signal.aborted) return;
        queue = [];
        isMaking = false;
        return args.onFailed(answer, error);
      }
    }
    isMaking = false;
  }

  return {
    say(answer, text, sound) {
      if (counts.answer !== answer) Object.assign(counts, { answer, pieces: 0 });
      queue.push({ answer, index: counts.pieces, text, sound });
      counts.pieces += 1;
      if (isMaking) return;
      isMaking = true;
      void make(abort);
    },
    drop() {
      queue = [];
      abort.abort();
      abort = new AbortController();
      isMaking = false;
    },
  };
}
