/** A piece of speech, and as much of its audio as has been made. */
export interface SpokenPiece {
  text: string;
  audioMs: number;
  /** The whole of it has been made. */
  done: boolean;
}

/** Words take about so long where the audio is not whole yet, and its length is not known. */
const wordMs = 330;

/** What a person has heard of an answer of which so much was played: whole words, never more than was said. */
export function heardText(pieces: readonly SpokenPiece[], playedMs: number): string {
  const heard: string[] = [];
  let leftMs = playedMs;
  for (const piece of pieces) {
    if (leftMs <= 0) break;
    const words = piece.text.trim().split(/\s+/);
    const wholeMs = piece.done ? piece.audioMs : Math.max(piece.audioMs, words.length * wordMs);
    if (leftMs >= wholeMs) {
      heard.push(piece.text.trim());
      leftMs -= wholeMs;
      continue;
    }
    heard.push(words.slice(0, Math.floor((words.length * leftMs) / wholeMs)).join(' '));
    break;
  }
  return heard.filter((text) => text !== '').join(' ');
}

/**
 * What was heard of a text whose speaker was cut off after `heard`: all up to there, where the text has it, since it may be only the
 * last sentence that was begun. Never more than was said.
 */
export function heardUpTo(text: string, heard: string): string {
  const words = text.split(/\s+/).filter((word) => word !== '');
  const last = heard.split(/\s+/).filter((word) => word !== '');
  if (last.length === 0) return '';
  const plain = (word: string | undefined) => (word ?? '').toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  for (let from = 0; from + last.length <= words.length; from += 1) {
    if (last.every((word, index) => plain(words[from + index]) === plain(word))) {
      return words.slice(0, from + last.length).join(' ');
    }
  }
  // Numbers are spoken in words, and come back so.
  return words.slice(0, last.length).join(' ');
}
