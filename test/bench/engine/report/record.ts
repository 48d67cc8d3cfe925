import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { type Program, results } from '../program.ts';
import { drawBars } from './draw-bars.ts';
import { drawLines } from './draw-lines.ts';
import { renderMarkdown } from './markdown.ts';

/** The last results of each program, kept so that one program can run again alone. */
const record = z.object({
  machine: z.string(),
  programs: z.record(z.string(), z.object({ measuredOn: z.iso.date(), ...results.shape })),
});

export type Record = z.infer<typeof record>;

const recordFile = 'results.json';

export interface RecordPaths {
  /** The folder of `measurements.md` and its pictures. */
  readonly page: string;
  /** The folder of the record, `results.json`. */
  readonly data: string;
}

/** Empty if there is no record yet. */
export function readRecord({ data }: RecordPaths): Record {
  try {
    return record.parse(JSON.parse(readFileSync(join(data, recordFile), 'utf8')));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      return { machine: '', programs: {} };
    }
    throw error;
  }
}

/** Writes the record, the page and its pictures. `programs` is in the order of the page. */
export function writeRecord(
  { page, data }: RecordPaths,
  kept: Record,
  programs: ReadonlyArray<Pick<Program, 'name' | 'title'>>,
): void {
  for (const folder of [page, data]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(data, recordFile), `${JSON.stringify(kept)}\n`);
  const measured = programs.flatMap(({ name, title }) => {
    const one = kept.programs[name];
    return one === undefined ? [] : [{ title, ...one }];
  });
  for (const plot of measured.flatMap((one) => one.plots)) {
    const picture = plot.kind === 'bars' ? drawBars(plot) : drawLines(plot);
    writeFileSync(join(page, `${plot.file}.svg`), picture);
  }
  writeFileSync(join(page, 'measurements.md'), renderMarkdown(kept.machine, measured));
}
