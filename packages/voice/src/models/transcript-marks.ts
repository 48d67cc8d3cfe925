/** `[BLANK_AUDIO]`, `(upbeat music)`, `*coughs*`, `<|nospeech|>`, `♪`. Digits in parentheses are part of a phone number. */
const marks = /\[[^\]]{0,200}\]|\([^)\d]{0,200}\)|\*[^*]{0,200}\*|<\|[^|]{0,200}\|>|[♪♫]+/g;

/** Removes what a recognizer says of sounds without words. Returns '' if nothing else is left. */
export function withoutMarks(text: string): string {
  const words = text.replace(marks, ' ').replace(/\s+/g, ' ').trim();
  return /[\p{L}\p{N}]/u.test(words) ? words : '';
}
