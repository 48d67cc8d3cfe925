import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { z } from 'zod';
import { findPromtool } from './find-promtool.ts';
import { runProgram } from './run-program.ts';

const board = join(import.meta.dirname, '../../../ops/grafana/outdial.json');
const panels = z.object({ panels: z.array(z.object({ targets: z.array(z.object({ expr: z.string() })) })) });

/** Prometheus understands the query of every panel. Names of metrics are held to what processes export in watching.test.ts. */
export async function checkGrafanaBoard(): Promise<void> {
  const found = await findPromtool();
  if (found.state === 'missing') throw new Error(found.reason);
  const queries = panels
    .parse(JSON.parse(readFileSync(board, 'utf8')))
    .panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  const rules = queries.map((expr, at) => ({ record: `panel:query_${at}`, expr }));
  const folder = mkdtempSync(join(tmpdir(), 'outdial-board-'));
  try {
    // promtool reads queries in files of rules alone.
    writeFileSync(join(folder, 'board.yml'), stringify({ groups: [{ name: 'board', rules }] }));
    await runProgram(found.program.path, ['check', 'rules', 'board.yml'], { cwd: folder, ...found.program });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
