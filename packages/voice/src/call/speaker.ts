import type { SpokenItem } from '../conversation/conversation.ts';

interface Piece {
  answer: number;
  index: number;
  text: string;
  sound: SpokenItem | undefined;
}

/** Synthesizes the pieces of an answer in order, faster than they are played. */
export function createSpeaker(args: {
  speak: (text: string, signal: AbortSignal) => AsyncIterable<Int16Array>;
  /** A realtime model's own words for a text. */
  wordsSaid?: ((text: string) => string | null) | undefined;
  /** @param piece `words`: the words so far, if they are known only as they are spoken */
  onAudio: (
    piece: { answer: number; index: number; words: string | null },
    samples: Int16Array,
    done: boolean,
  ) => void;
  onFailed: (answer: number, error: unknown) => void;
}) {
  let queue: Piece[] = [];
  let answerOfPieces = 0;
  let pieces = 0;
  let abort = new AbortController();
  let isSpeaking = false;

  async function speakQueue({ signal }: AbortController): Promise<void> {
    for (let piece = queue.shift(); piece !== undefined; piece = queue.shift()) {
      const { answer, index, text, sound } = piece;
      const progress = () => ({ answer, index, words: sound?.text() ?? args.wordsSaid?.(text) ?? null });
      try {
        for await (const samples of sound?.samples(signal) ?? args.speak(text, signal)) {
          if (signal.aborted) return;
          args.onAudio(progress(), samples, false);
        }
        if (signal.aborted) return;
        args.onAudio(progress(), new Int16Array(), true);
      } catch (error) {
        if (signal.aborted) return;
        queue = [];
        isSpeaking = false;
        return args.onFailed(answer, error);
      }
    }
    isSpeaking = false;
  }

  return {
    say(answer: number, text: string, sound?: SpokenItem) {
      if (answerOfPieces !== answer) pieces = 0;
      answerOfPieces = answer;
      queue.push({ answer, index: pieces, text, sound });
      pieces += 1;
      if (isSpeaking) return;
      isSpeaking = true;
      void speakQueue(abort);
    },
    isSpeaking: () => isSpeaking,
    drop() {
      queue = [];
      abort.abort();
      abort = new AbortController();
      isSpeaking = false;
    },
  };
}
