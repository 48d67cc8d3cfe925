import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { type Program, results } from '../program.ts';
import { drawBars } from './draw-bars.ts';
import { drawLines } from './draw-lines.ts';
import { renderMarkdown } from './markdown.ts';

/** The last results of each program, kept next to the page so that one program can run again alone. */
const record = z.object({
  machine: z.string(),
  programs: z.record(z.string(), z.object({ measuredOn: z.iso.date(), ...results.shape })),
});

export type Record = z.infer<typeof record>;

/** Reads the record in `folder`, which contains `performance.md`. Empty if there is none. */
export function readRecord(folder: string): Record {
  try {
    return record.parse(JSON.parse(readFileSync(recordPath(folder), 'utf8')));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      return { machine: '', programs: {} };
    }
    throw error;
  }
}

/** Writes the record, the page and its pictures. `programs` is in the order of the page. */
export function writeRecord(
  folder: string,
  kept: Record,
  programs: ReadonlyArray<Pick<Program, 'name' | 'title'>>,
): void {
  mkdirSync(join(folder, 'performance'), { recursive: true });
  writeFileSync(recordPath(folder), `${JSON.stringify(kept)}\n`);
  const measured = programs.flatMap(({ name, title }) => {
    const one = kept.programs[name];
    return one === undefined ? [] : [{ title, ...one }];
  });
  for (const plot of measured.flatMap((one) => one.plots)) {
    const picture = plot.kind === 'bars' ? drawBars(plot) : drawLines(plot);
    writeFileSync(join(folder, 'performance', `${plot.file}.svg`), picture);
  }
  writeFileSync(join(folder, 'performance.md'), renderMarkdown(kept.machine, measured));
}

function recordPath(folder: string): string {
  return join(folder, 'performance', 'results.json');
}
