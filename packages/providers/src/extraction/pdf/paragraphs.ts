import { type Line, isRightToLeft, lineText } from './lines.ts';
import type { Block } from './blocks.ts';

/** Lines become paragraphs: a line goes on in the next one where the typesetter broke it only for want of room. */
export function blockText(block: Block, hyphenated: ReadonlySet<string>): string {
  const pitch = typicalPitch(block.lines);
  let text = '';
  let last: Line | undefined;
  for (const [at, line] of block.lines.entries()) {
    const neighbours = [block.lines[at - 1], block.lines[at + 1]].filter((other) => other !== undefined);
    const next = lineText(line, neighbours);
    text = last ? join(text, last, line, next, { block, pitch, hyphenated }) : next;
    last = line;
  }
  return text;
}

interface Setting {
  block: Block;
  pitch: number;
  hyphenated: ReadonlySet<string>;
}

function join(text: string, last: Line, line: Line, next: string, setting: Setting): string {
  if (isParagraphGap(last, line, setting.pitch)) return `${text}\n\n${next}`;
  const hyphen = /(\p{L}+)[-\u2010]$/u.exec(text);
  const word = /^\p{Ll}+/u.exec(next)?.[0];
  if (hyphen?.[1] && word && isFull(last, line, next, setting.block)) {
    // A compound that is written with its hyphen elsewhere on the page keeps it.
    const keeps = setting.hyphenated.has(`${hyphen[1]}-${word}`.toLowerCase());
    return (keeps ? text : text.slice(0, -1)) + next;
  }
  if (text.includes('\t', text.lastIndexOf('\n') + 1) || next.includes('\t')) return `${text}\n${next}`;
  if (!isFull(last, line, next, setting.block)) return `${text}\n${next}`;
  if (/\p{L}[-\u2010]$/u.test(text) && /^\p{L}/u.test(next)) return text + next;
  return writesNoSpaces(text.at(-1)) && writesNoSpaces(next[0]) ? text + next : `${text} ${next}`;
}

/** Twice the type's size is what separates lines at most; and a gap beyond the block's own rhythm separates paragraphs. */
function isParagraphGap(last: Line, line: Line, pitch: number): boolean {
  const gap = line.baseline - last.baseline;
  const larger = Math.max(last.size, line.size);
  const changed = Math.min(last.size, line.size) < larger * 0.85;
  return gap > Math.max(pitch * 1.3, larger * 0.9) || gap > larger * 2 || (changed && gap > larger * 0.9);
}

/** The distance of lines in this block: the smallest that is usual. */
function typicalPitch(lines: readonly Line[]): number {
  const gaps = lines
    .slice(1)
    .map((line, at) => line.baseline - (lines[at]?.baseline ?? 0))
    .filter((gap) => gap > 0)
    .toSorted((one, other) => one - other);
  return gaps[Math.floor(gaps.length / 3)] ?? 0;
}

/** Whether the first word of the next line would not have fitted behind the last one. */
function isFull(last: Line, line: Line, next: string, block: Block): boolean {
  const rtl = isRightToLeft(last);
  const room = rtl ? last.start - block.start : block.end - last.end;
  const word = /^\S+/.exec(next)?.[0] ?? '';
  const breaksAnywhere = writesNoSpaces(next[0]);
  const chars = Math.max(next.length, 1);
  const width = breaksAnywhere
    ? line.size
    : (line.end - line.start) * (word.length / chars) + last.size * 0.25;
  return room < width;
}

const noSpaces =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u3000-\u303f\uff00-\uffef]/u;

function writesNoSpaces(letter: string | undefined): boolean {
  return letter !== undefined && noSpaces.test(letter);
}
