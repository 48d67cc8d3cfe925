import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { z } from 'zod';
import type { Bed } from '../bed.ts';
import { type Finding, metIf, type Program } from '../program.ts';
import { median, spread } from '../statistics.ts';

const goalSearchMs = 20;
const goalIngestion = 0.6;
const folder = new URL('../../', import.meta.url).pathname;
const run = promisify(execFile);

/** The benchmarks of the knowledge bases: separate commands that print lines of JSON. */
export const knowledgeBase: Program = {
  name: 'knowledge-base',
  title: 'Knowledge bases',
  async run(bed, { quick }) {
    const passages = quick ? 2_000 : 50_000;
    return {
      findings: [...(await search(bed, passages)), ...(await ingestion(bed, { COPIES: quick ? '2' : '8' }))],
      plots: [],
      notes: [
        'Knowledge bases: `test/bench/knowledge-base-search.ts` and `test/bench/knowledge-base-ingestion.ts`, described in their header comments.',
      ],
    };
  },
};

const searchLine = z.object({ kind: z.string(), p50Ms: z.number(), p95Ms: z.number() });

async function search(bed: Bed, passages: number): Promise<Finding[]> {
  const lines = await linesOf(bed, 'knowledge-base-search.ts', { PASSAGES: String(passages) });
  const kinds = lines.flatMap((line) => searchLine.safeParse(line).data ?? []);
  const p95 = kinds.map((kind) => kind.p95Ms);
  return [
    {
      what: `knowledge base search among ${passages.toLocaleString('en')} passages, ms, p95 of the slowest kind of question`,
      baseline: '–',
      goal: `under ${goalSearchMs}`,
      measured: Math.max(...p95).toFixed(1),
      spread: `${spread(p95, 1)} by kind`,
      verdict: metIf(Math.max(...p95) < goalSearchMs),
    },
  ];
}

const ingestionLine = z.object({ files: z.string(), reader: z.string(), pagesPerSecond: z.number() });
const bareName = 'bare pdf-parse';
const oneWorker = '1 worker';

async function ingestion(bed: Bed, env: Record<string, string>): Promise<Finding[]> {
  const lines = await linesOf(bed, 'knowledge-base-ingestion.ts', env);
  const measured = lines.flatMap((line) => ingestionLine.safeParse(line).data ?? []);
  if (measured.length === 0) {
    throw new Error('the ingestion of knowledge bases printed no result');
  }
  return [...Map.groupBy(measured, (line) => line.files)].flatMap(([files, ofFiles]) => {
    const runs = Map.groupBy(ofFiles, (line) => line.reader);
    const rates = (reader: string) => (runs.get(reader) ?? []).map((line) => line.pagesPerSecond);
    const bare = rates(bareName);
    return [...runs.keys()]
      .filter((reader) => reader !== bareName)
      .map((reader) => {
        const ratios = rates(reader).map((rate, round) => rate / (bare[round] ?? Number.NaN));
        return {
          what: `knowledge base ingestion, pages per second, ${files}, ${reader}`,
          baseline: `${bareName}: ${median(bare).toFixed(0)}`,
          goal: reader === oneWorker ? `at least ${goalIngestion} of it` : 'more with more workers',
          measured: `${median(rates(reader)).toFixed(0)}, ${median(ratios).toFixed(2)} of it`,
          spread: spread(ratios, 2),
          verdict: reader === oneWorker ? metIf(median(ratios) >= goalIngestion) : ('told' as const),
        };
      });
  });
}

async function linesOf(bed: Bed, program: string, env: Record<string, string>): Promise<unknown[]> {
  const { stdout } = await run(process.execPath, [folder + program], {
    env: { PATH: process.env['PATH'], DATABASE_URL: await bed.emptyDatabase(), ...env },
  });
  return stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line): unknown => JSON.parse(line));
}
