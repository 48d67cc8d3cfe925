import { join } from 'node:path';
import { findPromtool } from './find-promtool.ts';
import { runProgram } from './run-program.ts';

const folder = join(import.meta.dirname, '../../../ops/prometheus');

/** Checks the syntax of the rules, and that each alert fires exactly while its fault lasts. */
export async function checkPrometheusRules(): Promise<void> {
  const found = await findPromtool();
  if (found.state === 'missing') throw new Error(found.reason);
  const promtool = found.program;
  await runProgram(promtool.path, ['check', 'rules', 'outdial.rules.yml'], { cwd: folder, ...promtool });
  await runProgram(promtool.path, ['test', 'rules', 'outdial.rules.test.yml'], { cwd: folder, ...promtool });
}
