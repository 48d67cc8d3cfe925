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

/** Runs become lines in the order in which they were set: a line ends where the next run has another baseline. */
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
  // Raised and lowered small type does not move the line.
  if (run.size > line.size) {
    line.size = run.size;
    line.baseline = run.baseline;
  }
}

/** Exponents and indices stay with their line: they are shifted by less than half of the larger type. */
function isOnBaseline(line: Pick<Line, 'baseline' | 'size' | 'angle'>, run: Run): boolean {
  const shift = Math.abs(line.baseline - run.baseline);
  const larger = Math.max(line.size, run.size);
  const sameSize = Math.min(line.size, run.size) > larger * 0.8;
  return line.angle === run.angle && shift < larger * (sameSize ? 0.3 : 0.55);
}

/** The text of a line in reading order, cells parted by tabs. `neighbours` are the lines above and below it. */
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

/** White space, in ems, that is more than a space between words. */
const WORD_GAP_EMS = 0.18;
/** No typesetter likes to part words so far, and few part cells by less. */
const WIDE_GAP_EMS = 0.9;
/** A gap narrower than this is no border of cells. */
const NARROW_GAP_EMS = 0.35;
/** No justified line is set as loosely as this. */
const CELL_GAP_EMS = 3;

/**
 * The runs with which a new cell begins. Width alone does not tell: justified lines have wide gaps as well, but
 * all of one width, and not above those of the next line.
 */
function cellBreaks(runs: readonly Run[], neighbours: readonly Line[]): Set<Run> {
  const gaps = runs
    .slice(1)
    .map((run, at) => ({ run, ems: gapEms(runs[at] ?? run, run) }))
    // Scripts without spaces are set in runs that touch.
    .filter(({ ems }) => ems > WORD_GAP_EMS);
  const widths = gaps.map(({ ems }) => ems);
  const widest = widths.reduce((most, ems) => Math.max(most, ems), -Infinity);
  const narrowest = widths.reduce((least, ems) => Math.min(least, ems), Infinity);
  const even = widest < narrowest * 1.3;
  const loose = even && runs.every((run) => !run.text.includes(' '));
  const wide = gaps.filter(({ ems }) => ems > WIDE_GAP_EMS);
  // Most lines ask for none.
  let columns: Edges[] | undefined;
  const isBelowAnother = (run: Run) =>
    (columns ??= columnsOf(neighbours)).some((edges) => isAligned(run, edges));
  const inTable = !loose || (neighbours.length > 0 && wide.every(({ run }) => isBelowAnother(run)));
  const isBreak = ({ run, ems }: { run: Run; ems: number }) =>
    ems > CELL_GAP_EMS ||
    (inTable && ems > WIDE_GAP_EMS) ||
    (!even && ems > NARROW_GAP_EMS && isBelowAnother(run));
  return new Set(gaps.filter(isBreak).map(({ run }) => run));
}

/** Where the runs of a line begin, and where they end; in order, so that a line of any length is looked through in no time. */
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
  // In right-to-left lines runs are told in another order than they are read: only distance counts.
  return (rtl ? ems > 0.1 : run.spaceBefore || ems > WORD_GAP_EMS) ? ' ' : '';
}

const rightToLeft = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}]/u;
const leftToRight = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Han}]/u;

export function isRightToLeft(line: Line): boolean {
  // Most lines hold no such letter, and are told at once.
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

/** Within a right-to-left line, runs of words that read from left to right keep their order among themselves. */
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
