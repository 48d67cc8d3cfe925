import { addRun, type Line } from './lines.ts';

/** Lines that follow each other down the page. */
export interface Block {
  lines: Line[];
  start: number;
  end: number;
  top: number;
  bottom: number;
}

/** No page has more. What compares lines or blocks with each other is left out on one that does: its time would grow by the square. */
const LINES_AT_MOST = 1_000;

/**
 * The lines of a page in reading order. Producers set text in reading order nearly always, and columns can be told from
 * tables in no other way; only what is clearly out of order is moved: feet that are set before the body, tables
 * that are set column by column.
 */
export function toBlocks(lines: readonly Line[]): Block[] {
  const blocks = splitAtJumps(lines);
  return lines.length > LINES_AT_MOST ? blocks : sortBlocks(joinTableColumns(blocks));
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
    // A line far beside the block is the next column, though it stands lower.
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

/** Cells are short; a column of prose that stands beside another has longer lines. */
const CELL_CHARS_AT_MOST = 22;

/** Blocks whose lines stand on the same baselines are columns of one table when their lines are short. */
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
  if (charsPerLine(right.lines) > CELL_CHARS_AT_MOST) return false;
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

/** A block that stands wholly above an earlier one, over the same width, is read before it. */
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
