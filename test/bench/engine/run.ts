/**
 * Measures Outdial against what bounds it, and writes docs/performance/measurements.md with its pictures.
 *
 *     npm run bench -- [--only NAME[,NAME]] [--quick] [--rounds N] [--out FOLDER]
 *
 * `--quick` is small and only prints, unless `--out` names a folder; what it prints are no measurements. Ends with 1 if something was not measured,
 * except for what this machine cannot do.
 */
import { cpus, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { repeatLine } from '../../steps/repeat.ts';
import { openBed } from './bed.ts';
import { programs } from './programs.ts';
import type { Program, Results, Size } from './program.ts';
import { renderTable } from './report/markdown.ts';
import { readRecord, writeRecord, type RecordPaths } from './report/record.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    out: { type: 'string' },
  },
});
const size: Size = { quick: values.quick, rounds: Number(values.rounds ?? (values.quick ? '1' : '3')) };
const names = values.only?.split(',') ?? programs.map((program) => program.name);
const unknown = names.filter((name) => !programs.some((program) => program.name === name));
if (unknown.length > 0) {
  const known = programs.map((program) => program.name).join(', ');
  throw new Error(`There is no program ${unknown.join(', ')}; there are ${known}.`);
}

const failed: string[] = [];

/** A program that fails is reported in the table; the others continue. */
async function measure(program: Program): Promise<Results> {
  const startedMs = performance.now();
  const bed = await openBed();
  try {
    return await program.run(bed, size);
  } catch (error) {
    console.error(error);
    failed.push(program.name);
    const measured = error instanceof Error ? error.message : String(error);
    const nothing = { baseline: '–', goal: '–', spread: '–' };
    const finding = { what: program.name, ...nothing, measured, verdict: 'not measured' as const };
    return { findings: [finding], plots: [], notes: [] };
  } finally {
    await bed.close();
    console.error(`${program.name}: ${((performance.now() - startedMs) / 1000).toFixed(0)} s`);
  }
}

/** Where the results go; null if they are only printed. */
function outPaths(): RecordPaths | null {
  if (values.out !== undefined) return { page: values.out, data: values.out };
  if (values.quick) return null;
  const folder = (path: string) => new URL(path, import.meta.url).pathname;
  return { page: folder('../../../docs/performance'), data: folder('.') };
}

const out = outPaths();
for (const program of programs.filter((one) => names.includes(one.name))) {
  const results = await measure(program);
  console.log([...renderTable(results.findings), ''].join('\n'));
  if (out === null) continue;
  const kept = readRecord(out);
  kept.machine = `${cpus().length} cores of ${cpus()[0]?.model.trim() ?? 'an unknown kind'}, ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.version}`;
  kept.programs[program.name] = { measuredOn: new Date().toISOString().slice(0, 10), ...results };
  writeRecord(out, kept, programs);
}
for (const name of failed) {
  console.log(repeatLine(`npm run bench -- --only ${name}${size.quick ? ' --quick' : ''}`));
}
if (failed.length > 0) process.exitCode = 1;
