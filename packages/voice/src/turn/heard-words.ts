import { splitWords } from '../split-words.ts';

/** A piece of speech, and how much of its audio was synthesized. */
export interface SpokenPiece {
  text: string;
  audioMs: number;
  /** All of its audio was synthesized. */
  done: boolean;
}

/** The length of a word, until a voice is known. */
const usualWordMs = 330;
/** So many words tell the pace of a voice. */
const wordsToTell = 5;

/** The pace of the voice on one call. */
export class Pace {
  #ms = 0;
  #words = 0;

  /** Takes a piece of which all audio was synthesized. */
  add({ text, audioMs }: SpokenPiece): void {
    this.#ms += audioMs;
    this.#words += splitWords(text).length;
  }

  wordMs(): number {
    return this.#words < wordsToTell ? usualWordMs : this.#ms / this.#words;
  }
}

/** The words of an answer that the person has heard in full. */
export function heardText(pieces: readonly SpokenPiece[], playedMs: number, pace: Pace): string {
  const heard: string[] = [];
  let leftMs = playedMs;
  for (const piece of pieces) {
    if (leftMs <= 0) break;
    const words = splitWords(piece.text);
    const wholeMs = piece.done ? piece.audioMs : Math.max(piece.audioMs, words.length * pace.wordMs());
    if (leftMs < wholeMs) {
      heard.push(words.slice(0, Math.floor((words.length * leftMs) / wholeMs)).join(' '));
      break;
    }
    heard.push(piece.text.trim());
    leftMs -= wholeMs;
  }
  return heard.filter((text) => text !== '').join(' ');
}

/** The words whose audio a piece had when its synthesis failed. The last one never counts: a piece with all its words would have ended. */
export function spokenBeforeFailure({ text, audioMs }: SpokenPiece, pace: Pace): string {
  const words = splitWords(text);
  return words.slice(0, Math.min(words.length - 1, Math.floor(audioMs / pace.wordMs()))).join(' ');
}

/** The beginning of a text, up to and including the words `heard` at which its speaker was interrupted. Carriers may report only the words of the last sentence. */
export function heardUpTo(text: string, heard: string): string {
  const words = splitWords(text);
  const last = splitWords(heard);
  if (last.length === 0) return '';
  const plain = (word: string | undefined) => (word ?? '').toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  for (let from = 0; from + last.length <= words.length; from += 1) {
    if (last.every((word, index) => plain(words[from + index]) === plain(word))) {
      return words.slice(0, from + last.length).join(' ');
    }
  }
  // Digits may be reported as words.
  return words.slice(0, last.length).join(' ');
}
