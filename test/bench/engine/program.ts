import { z } from 'zod';
import type { Bed } from './bed.ts';
import { plot } from './report/plot.ts';
import { median, spread } from './statistics.ts';

/** `told`: a measurement without a goal. `not measured`: this machine cannot run it, or the program failed. */
const verdict = z.enum(['met', 'missed', 'told', 'not measured']);

/** One line of the table. */
const finding = z.object({
  what: z.string(),
  /** A value measured in the same run, for comparison. */
  baseline: z.string(),
  goal: z.string(),
  /** The median of the runs. */
  measured: z.string(),
  /** The smallest and largest value of the runs. */
  spread: z.string(),
  verdict,
});

export const results = z.object({
  findings: z.array(finding),
  plots: z.array(plot),
  /** How it was measured, if the table does not show it. */
  notes: z.array(z.string()),
});

export type Verdict = z.infer<typeof verdict>;
export type Finding = z.infer<typeof finding>;
export type Results = z.infer<typeof results>;

export function metIf(holds: boolean): Verdict {
  return holds ? 'met' : 'missed';
}

/** A line of the table about one value of each run. */
export function findingOf(
  what: string,
  values: readonly number[],
  of: { digits: number; goal: string; verdict: Verdict; baseline?: string },
): Finding {
  return {
    what,
    baseline: of.baseline ?? '–',
    goal: of.goal,
    measured: median(values).toFixed(of.digits),
    spread: spread(values, of.digits),
    verdict: of.verdict,
  };
}

/** Measures once in each round. */
export async function repeated<T>(rounds: number, measure: () => Promise<T>): Promise<T[]> {
  const runs: T[] = [];
  for (let round = 0; round < rounds; round++) runs.push(await measure());
  return runs;
}

/** Whether to measure fully, or only enough to see that the program works. */
export interface Size {
  quick: boolean;
  rounds: number;
}

export interface Program {
  /** The name for `--only`. */
  name: string;
  /** The title of its section in the page. */
  title: string;
  run(bed: Bed, size: Size): Promise<Results>;
}
