import { z } from 'zod';

const axis = z.object({ label: z.string(), scale: z.enum(['linear', 'log']) });

const barPlot = z.object({
  kind: z.literal('bars'),
  file: z.string(),
  title: z.string(),
  unit: z.string(),
  groups: z.array(z.string()),
  /** The values of all runs for each group. The bar is their median; the whisker spans the smallest and largest. */
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
      /** Draws a marker at each point. */
      dots: z.boolean().optional(),
    }),
  ),
  /** A horizontal line for comparison, such as a goal or a cap. */
  mark: z.object({ name: z.string(), y: z.number() }).optional(),
});

/** A picture next to the table. `file` is its name without `.svg`. */
export const plot = z.discriminatedUnion('kind', [barPlot, linePlot]);

export type Plot = z.infer<typeof plot>;
export type BarPlot = z.infer<typeof barPlot>;
export type LinePlot = z.infer<typeof linePlot>;
