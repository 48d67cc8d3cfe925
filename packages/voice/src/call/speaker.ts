/** Makes the pieces of an answer audio, one after the other, faster than they are played. */
export interface Speaker {
  say(answer: number, text: string): void;
  /** What is not made yet is not made. */
  drop(): void;
}

export function createSpeaker(args: {
  speak: (text: string, signal: AbortSignal) => AsyncIterable<Int16Array>;
  onAudio: (answer: number, index: number, samples: Int16Array, done: boolean) => void;
  onFailed: (answer: number, error: unknown) => void;
}): Speaker {
  let queue: Array<{ answer: number; index: number; text: string }> = [];
  const counts = { answer: 0, pieces: 0 };
  let abort = new AbortController();
  let isMaking = false;

  async function make({ signal }: AbortController): Promise<void> {
    for (let piece = queue.shift(); piece !== undefined; piece = queue.shift()) {
      const { answer, index, text } = piece;
      try {
        for await (const samples of args.speak(text, signal)) {
          if (signal.aborted) return;
          args.onAudio(answer, index, samples, false);
        }
        if (signal.aborted) return;
        args.onAudio(answer, index, new Int16Array(), true);
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
    say(answer, text) {
      if (counts.answer !== answer) Object.assign(counts, { answer, pieces: 0 });
      queue.push({ answer, index: counts.pieces, text });
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
