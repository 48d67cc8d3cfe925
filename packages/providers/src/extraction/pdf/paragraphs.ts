import { type Line, isRightToLeft, lineText } from './lines.ts';
import type { Block } from './blocks.ts';

/** Joins the lines of a block to paragraphs. Two lines are joined if the first was broken only because it was full. */
export function blockText(block: Block, hyphenated: ReadonlySet<string>): string {
  const setting: Setting = { block, pitch: typicalPitch(block.lines), hyphenated };
  const text: string[] = [];
  // Only the last line is kept, so that the time stays linear however long the paragraph becomes.
  let open: Open = { text: '', hasTab: false };
  let last: Line | undefined;
  for (const [at, line] of block.lines.entries()) {
    const neighbours = [block.lines[at - 1], block.lines[at + 1]].filter((other) => other !== undefined);
    const next = lineText(line, neighbours);
    const joint = last ? joinLines({ open, last, line, next, setting }) : { cut: 0, glue: '' };
    text.push(joint.cut > 0 ? open.text.slice(0, -joint.cut) : open.text, joint.glue);
    const goesOn = !joint.glue.startsWith('\n');
    open = { text: next, hasTab: next.includes('\t') || (goesOn && open.hasTab) };
    last = line;
  }
  text.push(open.text);
  return text.join('');
}

/** The last line of an unfinished paragraph. */
interface Open {
  text: string;
  /** The paragraph has a tab so far. */
  hasTab: boolean;
}

interface Setting {
  block: Block;
  pitch: number;
  hyphenated: ReadonlySet<string>;
}

/** How two lines are joined: how many characters are cut off the first, and the text between them. */
interface Joint {
  cut: number;
  glue: string;
}

/** No hyphenated word is longer. */
export const longestWordChars = 100;

function joinLines(lines: { open: Open; last: Line; line: Line; next: string; setting: Setting }): Joint {
  const { last, line, next, setting } = lines;
  const { text: open, hasTab } = lines.open;
  if (isParagraphGap(last, line, setting.pitch)) return { cut: 0, glue: '\n\n' };
  const full = isFull(last, line, next, setting.block);
  const hyphened = open.endsWith('-') || open.endsWith('\u2010');
  if (hyphened && full) {
    const begun = /(\p{L}+).$/u.exec(open.slice(-longestWordChars))?.[1];
    const rest = /^\p{Ll}+/u.exec(next.slice(0, longestWordChars))?.[0];
    // A word that has this hyphen in the middle of a line elsewhere on the page keeps it.
    if (begun && rest) {
      return { cut: setting.hyphenated.has(`${begun}-${rest}`.toLowerCase()) ? 0 : 1, glue: '' };
    }
  }
  if (!full || hasTab || next.includes('\t')) return { cut: 0, glue: '\n' };
  if (hyphened && /\p{L}.$/u.test(open.slice(-3)) && /^\p{L}/u.test(next)) return { cut: 0, glue: '' };
  return { cut: 0, glue: writesNoSpaces(open.at(-1)) && writesNoSpaces(next[0]) ? '' : ' ' };
}

/** A gap of more than twice the font size, or clearly more than the block's usual line distance, separates paragraphs. */
function isParagraphGap(last: Line, line: Line, pitch: number): boolean {
  const gap = line.baseline - last.baseline;
  const larger = Math.max(last.size, line.size);
  const changed = Math.min(last.size, line.size) < larger * 0.85;
  return gap > Math.max(pitch * 1.3, larger * 0.9) || gap > larger * 2 || (changed && gap > larger * 0.9);
}

/** The usual line distance in this block: the lower third of all distances. */
function typicalPitch(lines: readonly Line[]): number {
  const gaps = lines
    .slice(1)
    .map((line, at) => line.baseline - (lines[at]?.baseline ?? 0))
    .filter((gap) => gap > 0)
    .toSorted((one, other) => one - other);
  return gaps[Math.floor(gaps.length / 3)] ?? 0;
}

/** Whether the first word of the next line did not fit on the last line. */
function isFull(last: Line, line: Line, next: string, block: Block): boolean {
  const rtl = isRightToLeft(last);
  const space = rtl ? last.start - block.start : block.end - last.end;
  const word = /^\S+/.exec(next)?.[0] ?? '';
  const breaksAnywhere = writesNoSpaces(next[0]);
  const chars = Math.max(next.length, 1);
  const width = breaksAnywhere
    ? line.size
    : (line.end - line.start) * (word.length / chars) + last.size * 0.25;
  return space < width;
}

const noSpaces =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u3000-\u303f\uff00-\uffef]/u;

function writesNoSpaces(letter: string | undefined): boolean {
  return letter !== undefined && noSpaces.test(letter);
}
