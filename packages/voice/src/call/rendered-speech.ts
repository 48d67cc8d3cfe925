/** Speech that is synthesized before it is needed. */
export interface RenderedSpeech {
  text: string;
  /** Yields the audio that is ready, then the rest as it comes. If the synthesis failed before any audio, tries again. */
  play(signal: AbortSignal): AsyncGenerator<Int16Array, void, void>;
  drop(): void;
}

type Speak = (text: string, signal: AbortSignal) => AsyncIterable<Int16Array>;

export function renderSpeech(speak: Speak, text: string): RenderedSpeech {
  const chunks: Int16Array[] = [];
  const dropped = new AbortController();
  let state: 'rendering' | 'rendered' | 'failed' = 'rendering';
  let changed = Promise.withResolvers<void>();

  async function render(): Promise<void> {
    try {
      for await (const samples of speak(text, dropped.signal)) {
        chunks.push(samples);
        changed.resolve();
        changed = Promise.withResolvers();
      }
      state = 'rendered';
    } catch {
      state = 'failed';
    }
    changed.resolve();
  }
  void render();

  return {
    text,
    async *play(signal) {
      for (let next = 0; !signal.aborted;) {
        const samples = chunks[next];
        if (samples !== undefined) {
          next += 1;
          yield samples;
        } else if (state === 'rendering') {
          await changed.promise;
        } else if (state === 'rendered') {
          return;
        } else if (next === 0) {
          yield* speak(text, signal);
          return;
        } else {
          throw new Error('the speech broke off');
        }
      }
    },
    drop: () => dropped.abort(),
  };
}

/** Pieces of speech that are synthesized one after the other before they are needed. */
export interface RenderedPieces {
  /** Null for a text that is none of the pieces. */
  play(text: string, signal: AbortSignal): AsyncGenerator<Int16Array, void, void> | null;
  drop(): void;
}

export function renderPieces(speak: Speak, texts: readonly string[]): RenderedPieces {
  let before: Promise<void> = Promise.resolve();
  const pieces = texts.map((text) => {
    const previous = before;
    const done = Promise.withResolvers<void>();
    before = done.promise;
    return renderSpeech(async function* (words, signal) {
      await previous;
      try {
        if (!signal.aborted) yield* speak(words, signal);
      } finally {
        done.resolve();
      }
    }, text);
  });
  return {
    play: (text, signal) => pieces.find((piece) => piece.text === text)?.play(signal) ?? null,
    drop() {
      for (const piece of pieces) piece.drop();
    },
  };
}
