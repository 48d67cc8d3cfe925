import { toBlocks } from './blocks.ts';
import { type Line, toLines } from './lines.ts';
import type { PageItem } from './page-item.ts';
import { blockText, longestWordChars } from './paragraphs.ts';
import { toRuns } from './runs.ts';

/** Lays out the text of a page as a person would copy it by hand: with paragraphs, table rows and whole words. */
export function layOutPage(items: readonly PageItem[]): string {
  const lines = toLines(toRuns(items));
  const hyphenated = compounds(lines);
  return toBlocks(lines)
    .map((block) => blockText(block, hyphenated))
    .join('\n\n');
}

/** Words with a hyphen in the middle of a line, which no line break has caused. */
function compounds(lines: readonly Line[]): Set<string> {
  const found = new Set<string>();
  for (const { text } of lines.flatMap((line) => line.runs)) {
    // Searches from each hyphen to both sides: a search for whole words would take quadratic time on a long word.
    for (let at = text.indexOf('-'); at >= 0; at = text.indexOf('-', at + 1)) {
      const begun = /\p{L}+$/u.exec(text.slice(Math.max(0, at - longestWordChars), at))?.[0];
      const rest = begun && /^\p{Ll}+/u.exec(text.slice(at + 1, at + longestWordChars))?.[0];
      if (rest) found.add(`${begun}-${rest}`.toLowerCase());
    }
  }
  return found;
}
