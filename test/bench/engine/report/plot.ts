import { z } from 'zod';

const axis = z.object({ label: z.string(), scale: z.enum(['linear', 'log']) });

const barPlot = z.object({
  kind: z.literal('bars'),
  file: z.string(),
  title: z.string(),
  unit: z.string(),
  groups: z.array(z.string()),
  /** For each group the values of all runs: the bar is their median, the whisker goes from the least to the greatest. */
  series: z.array(z.object({ name: z.string(), values: z.array(z.array(z.number())) })),
});

const linePlot = z.object({
  kind: z.literal('lines'),
  file: z.string(),
  title: z.string(),
  x: axis,
  y: axis,
  series: z.array(
    z.object({
      name: z.string(),
      points: z.array(z.object({ x: z.number(), y: z.number() })),
      /** Draws the points too, where they are few. */
      dots: z.boolean().optional(),
    }),
  ),
  /** A level to hold the lines against, such as a goal or a cap. */
  mark: z.object({ name: z.string(), y: z.number() }).optional(),
});

/** A picture beside the table; `file` is its name without `.svg`. */
export const plot = z.discriminatedUnion('kind', [barPlot, linePlot]);

export type Plot = z.infer<typeof plot>;
export type BarPlot = z.infer<typeof barPlot>;
export type LinePlot = z.infer<typeof linePlot>;
