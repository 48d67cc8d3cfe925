import type { Run } from './runs.ts';

/** Runs on one baseline. */
export interface Line {
  runs: Run[];
  start: number;
  end: number;
  baseline: number;
  size: number;
  angle: number;
}

/** Joins runs to lines in their order in the file. A line ends where the next run has another baseline. */
export function toLines(runs: readonly Run[]): Line[] {
  const lines: Line[] = [];
  for (const run of runs) {
    const line = lines.at(-1);
    if (line && isOnBaseline(line, run)) addRun(line, run);
    else lines.push(newLine(run));
  }
  return lines;
}

function newLine(run: Run): Line {
  const { start, end, baseline, size, angle } = run;
  return { runs: [run], start, end, baseline, size, angle };
}

export function addRun(line: Line, run: Run): void {
  line.runs.push(run);
  line.start = Math.min(line.start, run.start);
  line.end = Math.max(line.end, run.end);
  // Superscripts and subscripts do not move the baseline.
  if (run.size > line.size) {
    line.size = run.size;
    line.baseline = run.baseline;
  }
}

/** Superscripts and subscripts stay in their line: they are shifted by about half of the larger font size at most. */
function isOnBaseline(line: Pick<Line, 'baseline' | 'size' | 'angle'>, run: Run): boolean {
  const shift = Math.abs(line.baseline - run.baseline);
  const larger = Math.max(line.size, run.size);
  const sameSize = Math.min(line.size, run.size) > larger * 0.8;
  return line.angle === run.angle && shift < larger * (sameSize ? 0.3 : 0.55);
}

/**
 * The text of a line in reading order, with tabs between cells.
 * @param neighbours the lines above and below
 */
export function lineText(line: Line, neighbours: readonly Line[] = []): string {
  const rtl = isRightToLeft(line);
  const inOrder = line.runs.toSorted((one, other) => (rtl ? other.end - one.end : one.start - other.start));
  const runs = rtl ? readNumbersForward(inOrder) : inOrder;
  const breaks = cellBreaks(runs, neighbours);
  let text = '';
  let last: Run | undefined;
  for (const run of runs) {
    if (last) text += breaks.has(run) ? '\t' : wordSpace(last, run, rtl);
    text += run.text;
    last = run;
  }
  return text;
}

/** A gap of at least this many ems separates words. */
const wordGapEms = 0.18;
/** Few words are further apart than this, and few cells are closer together. */
const wideGapEms = 0.9;
/** A narrower gap never separates cells. */
const narrowGapEms = 0.35;
/** No justified line has gaps as wide as this. */
const cellGapEms = 3;

/**
 * The runs that begin a new cell. The width of a gap is not enough to tell: justified lines have wide gaps too, but all of the same width, and not aligned
 * with those of the next line.
 */
function cellBreaks(runs: readonly Run[], neighbours: readonly Line[]): Set<Run> {
  const gaps = runs
    .slice(1)
    .map((run, at) => ({ run, ems: gapEms(runs[at] ?? run, run) }))
    // In scripts without spaces, runs touch.
    .filter(({ ems }) => ems > wordGapEms);
  const widths = gaps.map(({ ems }) => ems);
  const widest = widths.reduce((most, ems) => Math.max(most, ems), -Infinity);
  const narrowest = widths.reduce((least, ems) => Math.min(least, ems), Infinity);
  const even = widest < narrowest * 1.3;
  const loose = even && runs.every((run) => !run.text.includes(' '));
  const wide = gaps.filter(({ ems }) => ems > wideGapEms);
  // Computed only if needed, because most lines need none.
  let columns: Edges[] | undefined;
  const isBelowAnother = (run: Run) =>
    (columns ??= columnsOf(neighbours)).some((edges) => isAligned(run, edges));
  const inTable = !loose || (neighbours.length > 0 && wide.every(({ run }) => isBelowAnother(run)));
  const isBreak = ({ run, ems }: { run: Run; ems: number }) =>
    ems > cellGapEms || (inTable && ems > wideGapEms) || (!even && ems > narrowGapEms && isBelowAnother(run));
  return new Set(gaps.filter(isBreak).map(({ run }) => run));
}

/** The positions where the runs of a line begin and end, sorted for binary search. */
interface Edges {
  starts: Float64Array;
  ends: Float64Array;
}

/** The edges of other lines, each without its first run. */
function columnsOf(lines: readonly Line[]): Edges[] {
  return lines.map(({ runs }) => ({
    starts: Float64Array.from(runs.slice(1), (run) => run.start).toSorted(),
    ends: Float64Array.from(runs.slice(1), (run) => run.end).toSorted(),
  }));
}

function isAligned(run: Run, { starts, ends }: Edges): boolean {
  const tolerance = run.size * 0.15;
  return hasNear(starts, run.start, tolerance) || hasNear(ends, run.end, tolerance);
}

function hasNear(sorted: Float64Array, value: number, tolerance: number): boolean {
  let from = 0;
  for (let to = sorted.length; from < to;) {
    const middle = (from + to) >>> 1;
    if ((sorted[middle] ?? 0) <= value - tolerance) from = middle + 1;
    else to = middle;
  }
  const next = sorted[from];
  return next !== undefined && next < value + tolerance;
}

function gapEms(last: Run, run: Run): number {
  return Math.max(run.start - last.end, last.start - run.end) / Math.max(last.size, run.size);
}

function wordSpace(last: Run, run: Run, rtl: boolean): string {
  const ems = gapEms(last, run);
  // The runs of a right-to-left line are not stored in reading order, so only the distance counts.
  return (rtl ? ems > 0.1 : run.spaceBefore || ems > wordGapEms) ? ' ' : '';
}

const rightToLeft = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}]/u;
const leftToRight = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Han}]/u;

export function isRightToLeft(line: Line): boolean {
  // A quick check, because most lines have no such letter.
  if (!line.runs.some((run) => rightToLeft.test(run.text))) return false;
  let balance = 0;
  for (const { text } of line.runs) {
    for (const letter of text) {
      if (rightToLeft.test(letter)) balance++;
      else if (leftToRight.test(letter)) balance--;
    }
  }
  return balance > 0;
}

/** In a right-to-left line, left-to-right words that follow each other keep their own order. */
function readNumbersForward(runs: readonly Run[]): Run[] {
  const ordered: Run[] = [];
  let forward: Run[] = [];
  const flush = () => {
    for (const run of forward.toReversed()) ordered.push(run);
    forward = [];
  };
  for (const run of runs) {
    if (/\p{Script=Latin}/u.test(run.text) && !rightToLeft.test(run.text)) {
      forward.push(run);
    } else {
      flush();
      ordered.push(run);
    }
  }
  flush();
  return ordered;
}
