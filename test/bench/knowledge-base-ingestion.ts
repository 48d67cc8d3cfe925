import { availableParallelism, cpus } from 'node:os';
import { PDFParse } from 'pdf-parse';
import { z } from 'zod';
import { leaflets, manuals } from './knowledge-base-files.ts';
import { startWorkers } from './knowledge-base-workers.ts';

/**
 * The whole pipeline (queue, file store, extraction in separate processes, passages, index, all in Postgres) against bare
 * pdf-parse in this process, on the same files in the same run: `DATABASE_URL=… node test/bench/knowledge-base-ingestion.ts`.
 * Workers are processes with their default settings. The user must be allowed to create databases; they are named after
 * the given one. Writes one line of JSON for each measurement.
 */
const {
  DATABASE_URL: databaseUrl,
  COPIES: copies,
  ROUNDS: rounds,
} = z
  .object({
    DATABASE_URL: z.string(),
    COPIES: z.coerce.number().int().positive().default(24),
    ROUNDS: z.coerce.number().int().positive().default(7),
  })
  .parse(process.env);

/** Both sides read every file before the measurement, to warm up their compilers. */
const warmUpRounds = 3;

interface Load {
  what: string;
  files: readonly Buffer[];
}

const loads: readonly Load[] = [
  { what: 'manuals of 37 pages', files: await manuals(copies) },
  { what: 'leaflets', files: Array.from({ length: 4 }, () => leaflets).flat() },
];

async function barePdfParse(files: readonly Buffer[]): Promise<number> {
  let pages = 0;
  for (const file of files) {
    const parser = new PDFParse({ data: new Uint8Array(file) });
    pages += (await parser.getText()).total;
    await parser.destroy();
  }
  return pages;
}

async function measure(load: Load, reader: string, run: () => Promise<number>): Promise<number> {
  const startedAtMs = performance.now();
  const pages = await run();
  const seconds = (performance.now() - startedAtMs) / 1_000;
  const bytes = load.files.reduce((sum, file) => sum + file.length, 0);
  say({
    files: load.what,
    reader,
    pagesPerSecond: round(pages / seconds),
    megabytesPerSecond: round(bytes / 1e6 / seconds),
    seconds: round(seconds),
  });
  return seconds;
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

function say(line: object): void {
  console.log(JSON.stringify(line));
}

say({ machine: cpus()[0]?.model, cores: availableParallelism(), node: process.version });
const counts = [1];
for (let count = 2; count <= Math.max(2, availableParallelism()); count *= 2) counts.push(count);
const groups = await Promise.all(counts.map((count) => startWorkers(databaseUrl, count)));
try {
  for (const load of loads) {
    const ratios = new Map<number, number[]>(counts.map((count) => [count, []]));
    for (let warmUp = 0; warmUp < warmUpRounds; warmUp++) {
      await barePdfParse(load.files);
      for (const group of groups) await (await group.upload(load.files))();
    }
    // Both sides run in each round, so that other load on the machine affects them equally.
    for (let at = 0; at < rounds; at++) {
      const bareSeconds = await measure(load, 'bare pdf-parse', () => barePdfParse(load.files));
      for (const group of groups) {
        const run = await group.upload(load.files);
        const seconds = await measure(load, `${group.workers} worker${group.workers === 1 ? '' : 's'}`, run);
        ratios.get(group.workers)?.push(bareSeconds / seconds);
      }
    }
    for (const [workers, values] of ratios) {
      say({
        files: load.what,
        workers,
        ofBarePdfParse: round(median(values)),
        from: round(Math.min(...values)),
        to: round(Math.max(...values)),
      });
    }
  }
} finally {
  await Promise.all(groups.map((group) => group.close()));
}
