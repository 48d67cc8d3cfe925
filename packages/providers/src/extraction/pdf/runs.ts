import type { PageItem } from './page-item.ts';

/** A run of glyphs, in coordinates that are rotated with the text: `start` to `end` along the writing direction, `baseline` downwards across it. In points. */
export interface Run {
  text: string;
  start: number;
  end: number;
  baseline: number;
  size: number;
  /** In degrees, a multiple of 90. */
  angle: number;
  /** The source has white space between this run and the one before. */
  spaceBefore: boolean;
}

/** How many runs back to search for the same text at the same position. Some producers print text twice to make it bold. */
const overprintWithin = 6;

export function toRuns(items: readonly PageItem[]): Run[] {
  const runs: Run[] = [];
  let spaceBefore = false;
  for (const item of items) {
    if (item.str.trim() === '') {
      spaceBefore ||= item.str !== '' || item.hasEOL;
      continue;
    }
    const run = toRun(item, spaceBefore || /^\s/.test(item.str));
    spaceBefore = item.hasEOL || /\s$/.test(item.str);
    if (!runs.slice(-overprintWithin).some((earlier) => isOverprint(earlier, run))) runs.push(run);
  }
  return runs;
}

function toRun(item: PageItem, spaceBefore: boolean): Run {
  const [a = 1, b = 0, c = 0, d = 1, x = 0, y = 0] = item.transform;
  const angle = (Math.round(Math.atan2(b, a) / (Math.PI / 2)) * 90 + 360) % 360;
  const turn = (angle * Math.PI) / 180;
  const along = x * Math.cos(turn) + y * Math.sin(turn);
  const across = x * Math.sin(turn) - y * Math.cos(turn);
  const size = Math.hypot(c, d) || item.height || 1;
  return {
    text: item.str.trim(),
    start: along,
    end: along + Math.max(item.width, 0),
    baseline: across,
    size,
    angle,
    spaceBefore,
  };
}

function isOverprint(earlier: Run, run: Run): boolean {
  const near = run.size * 0.15;
  return (
    earlier.text === run.text &&
    earlier.angle === run.angle &&
    Math.abs(earlier.start - run.start) < near &&
    Math.abs(earlier.baseline - run.baseline) < near
  );
}
