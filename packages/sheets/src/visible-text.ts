/**
 * Removes format characters, which programs copy along unseen: marks of direction, zero-width blanks, byte order marks. Keeps the joiners
 * of scripts that need them to spell a word, and of emoji.
 */
export function visibleText(text: string): string {
  return formatCharacter.test(text) ? text.replaceAll(removed, '').trim() : text.trim();
}

const formatCharacter = /\p{Cf}/u;
const removed =
  /(?!(?<=[[\p{L}\p{M}\p{Extended_Pictographic}\u{1F3FB}-\u{1F3FF}]--\p{Script=Latin}])[\u200C\u200D](?=[\p{L}\p{Extended_Pictographic}]))\p{Cf}/gv;
