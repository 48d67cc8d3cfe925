import { addRun, type Line } from './lines.ts';

/** Consecutive lines down the page. */
export interface Block {
  lines: Line[];
  start: number;
  end: number;
  top: number;
  bottom: number;
}

/** No real page has more lines. Beyond this, blocks are not compared with each other, because that takes quadratic time. */
const linesAtMost = 1_000;

/**
 * Puts the lines of a page into reading order. Producers nearly always write text in reading order, and nothing else tells columns from tables. So only
 * blocks that are clearly out of order are moved: footers written before the body, and tables written column by column.
 */
export function toBlocks(lines: readonly Line[]): Block[] {
  const blocks = splitAtJumps(lines);
  return lines.length > linesAtMost ? blocks : sortBlocks(joinTableColumns(blocks));
}

function splitAtJumps(lines: readonly Line[]): Block[] {
  const blocks: Block[] = [];
  let last: Line | undefined;
  for (const line of lines) {
    const block = blocks.at(-1);
    const follows =
      last &&
      last.angle === line.angle &&
      line.baseline > last.baseline - Math.min(last.size, line.size) * 0.3;
    // A line far beside the block belongs to the next column, even if it is lower on the page.
    const beside =
      block && (line.start > block.end + line.size * 3 || line.end < block.start - line.size * 3);
    if (block && follows && !beside) addLine(block, line);
    else blocks.push(newBlock(line));
    last = line;
  }
  return blocks;
}

function newBlock(line: Line): Block {
  const { start, end, baseline, size } = line;
  return { lines: [line], start, end, top: baseline - size, bottom: baseline };
}

function addLine(block: Block, line: Line): void {
  block.lines.push(line);
  block.start = Math.min(block.start, line.start);
  block.end = Math.max(block.end, line.end);
  block.top = Math.min(block.top, line.baseline - line.size);
  block.bottom = Math.max(block.bottom, line.baseline);
}

/** Table cells are short. The lines in a column of prose are longer. */
const cellCharsAtMost = 22;

/** Blocks with short lines on the same baselines are columns of one table. */
function joinTableColumns(blocks: readonly Block[]): Block[] {
  const joined: Block[] = [];
  for (const block of blocks) {
    const before = joined.at(-1);
    if (before && areTableColumns(before, block)) joinColumn(before, block);
    else joined.push(block);
  }
  return joined;
}

function areTableColumns(left: Block, right: Block): boolean {
  if (right.lines.length < 2 || left.lines.length < 2 || right.start < left.end) return false;
  if (charsPerLine(right.lines) > cellCharsAtMost) return false;
  const aligned = right.lines.filter((line) => left.lines.some((other) => isLevel(other, line)));
  return aligned.length >= right.lines.length * 0.8;
}

function charsPerLine(lines: readonly Line[]): number {
  const chars = lines.flatMap((line) => line.runs).reduce((sum, run) => sum + run.text.length + 1, 0);
  return chars / lines.length;
}

function joinColumn(left: Block, right: Block): void {
  for (const line of right.lines) {
    const beside = left.lines.find((other) => isLevel(other, line));
    if (beside) for (const run of line.runs) addRun(beside, run);
    else addLine(left, line);
  }
  left.end = Math.max(left.end, right.end);
  left.lines.sort((one, other) => one.baseline - other.baseline);
}

function isLevel(one: Line, other: Line): boolean {
  return (
    one.angle === other.angle &&
    Math.abs(one.baseline - other.baseline) < Math.min(one.size, other.size) * 0.3
  );
}

/** A block that is entirely above an earlier one, and overlaps its width, is read before it. */
function sortBlocks(blocks: readonly Block[]): Block[] {
  const sorted: Block[] = [];
  for (const block of blocks) {
    const at = sorted.findIndex(
      (other) =>
        other.lines[0]?.angle === block.lines[0]?.angle &&
        block.bottom <= other.top &&
        block.start < other.end &&
        other.start < block.end,
    );
    if (at < 0) sorted.push(block);
    else sorted.splice(at, 0, block);
  }
  return sorted;
}
