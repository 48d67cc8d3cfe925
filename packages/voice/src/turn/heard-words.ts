import { splitWords } from '../split-words.ts';

/** A piece of speech, and how much of its audio was synthesized. */
export interface SpokenPiece {
  text: string;
  audioMs: number;
  /** All of its audio was synthesized. */
  done: boolean;
}

/** The estimated length of a word, until all audio of a piece is synthesized. */
const wordMs = 330;

/** The words of an answer that the person has heard in full. */
export function heardText(pieces: readonly SpokenPiece[], playedMs: number): string {
  const heard: string[] = [];
  let leftMs = playedMs;
  for (const piece of pieces) {
    if (leftMs <= 0) break;
    const words = piece.text.trim().split(/\s+/);
    const wholeMs = piece.done ? piece.audioMs : Math.max(piece.audioMs, words.length * wordMs);
    if (leftMs < wholeMs) {
      heard.push(words.slice(0, Math.floor((words.length * leftMs) / wholeMs)).join(' '));
      break;
    }
    heard.push(piece.text.trim());
    leftMs -= wholeMs;
  }
  return heard.filter((text) => text !== '').join(' ');
}

/**
 * The beginning of a text, up to and including the words `heard` at which its speaker was interrupted. Carriers may report only the words of the
 * last sentence.
 */
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
