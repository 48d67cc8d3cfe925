/** Speech that is made before it is wanted. */
export interface RenderedSpeech {
  text: string;
  /**
   * What is made already at once, and the rest as it comes. What could not be made before is made again: a person waits for it now.
   */
  play(signal: AbortSignal): AsyncGenerator<Int16Array, void, void>;
  /** It is not wanted any more. */
  drop(): void;
}

type Speak = (text: string, signal: AbortSignal) => AsyncIterable<Int16Array>;

export function renderSpeech(speak: Speak, text: string): RenderedSpeech {
  const chunks: Int16Array[] = [];
  const unwanted = new AbortController();
  let state: 'making' | 'made' | 'failed' = 'making';
  let changed = Promise.withResolvers<void>();

  async function make(): Promise<void> {
    try {
      for await (const samples of speak(text, unwanted.signal)) {
        chunks.push(samples);
        changed.resolve();
        changed = Promise.withResolvers();
      }
      state = 'made';
    } catch {
      state = 'failed';
    }
    changed.resolve();
  }
  void make();

  return {
    text,
    async *play(signal) {
      for (let next = 0; !signal.aborted;) {
        const samples = chunks[next];
        if (samples !== undefined) {
          next += 1;
          yield samples;
        } else if (state === 'making') {
          await changed.promise;
        } else if (state === 'made') {
          return;
        } else if (next === 0) {
          yield* speak(text, signal);
          return;
        } else {
          throw new Error('the voice broke off');
        }
      }
    },
    drop: () => unwanted.abort(),
  };
}
