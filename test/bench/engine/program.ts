import { z } from 'zod';
import type { Bed } from './bed.ts';
import { plot } from './report/plot.ts';

/** `told`: there is no goal. `not measured`: this machine cannot, or the program failed. */
const verdict = z.enum(['met', 'missed', 'told', 'not measured']);

/** One line of the table. */
const finding = z.object({
  what: z.string(),
  /** What was measured beside it, in the same run. */
  baseline: z.string(),
  goal: z.string(),
  /** The median of the runs. */
  measured: z.string(),
  /** The least and the greatest of the runs. */
  spread: z.string(),
  verdict,
});

export const results = z.object({
  findings: z.array(finding),
  plots: z.array(plot),
  /** How it was measured, where that needs saying. */
  notes: z.array(z.string()),
});

export type Verdict = z.infer<typeof verdict>;
export type Finding = z.infer<typeof finding>;
export type Results = z.infer<typeof results>;

export function metIf(holds: boolean): Verdict {
  return holds ? 'met' : 'missed';
}

/** How much to measure: all of it, or only enough to see that the program works. */
export interface Size {
  quick: boolean;
  rounds: number;
}

export interface Program {
  /** For `--only`. */
  name: string;
  /** Of its section. */
  title: string;
  run(bed: Bed, size: Size): Promise<Results>;
}
