import { toBlocks } from './blocks.ts';
import { type Line, toLines } from './lines.ts';
import type { PageItem } from './page-item.ts';
import { blockText } from './paragraphs.ts';
import { toRuns } from './runs.ts';

/** The text of a page as a person would copy it by hand: paragraphs, rows of tables, words whole. */
export function layOutPage(items: readonly PageItem[]): string {
  const lines = toLines(toRuns(items));
  const hyphenated = compounds(lines);
  return toBlocks(lines)
    .map((block) => blockText(block, hyphenated))
    .join('\n\n');
}

/** Words that are written with a hyphen in mid-line, where no typesetter has put it. */
function compounds(lines: readonly Line[]): Set<string> {
  const found = new Set<string>();
  for (const { text } of lines.flatMap((line) => line.runs)) {
    for (const [word] of text.matchAll(/\p{L}+-\p{Ll}+/gu)) found.add(word.toLowerCase());
  }
  return found;
}
