import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { runProgram } from '../../ops/check/run-program.ts';
import type { Scrapes } from './scrapes.ts';

const promtool = inject('promtool');
export const hasPromtool = promtool !== null;
const rulesFile = join(import.meta.dirname, '../../../ops/prometheus/outdial.rules.yml');
const rules = z
  .object({
    groups: z.array(z.object({ rules: z.array(z.object({ alert: z.string(), expr: z.string() })) })),
  })
  .parse(parse(readFileSync(rulesFile, 'utf8')))
  .groups.flatMap((group) => group.rules);

export const alerts = rules.map(({ alert }) => alert);
const metrics = new Set(rules.flatMap(({ expr }) => expr.match(/\b(?:up|outdial_\w+|nodejs_\w+)\b/g) ?? []));
const everFiring = 'group by (alertname) (last_over_time(ALERTS{alertstate="firing"}[2h]))';

/** The alerts that fire at any time in the samples, according to Prometheus's rules. */
export async function firedAlerts(scrapes: Scrapes): Promise<string[]> {
  if (promtool === null) throw new Error('there is no promtool');
  const folder = mkdtempSync(join(tmpdir(), 'outdial-alerts-'));
  try {
    // promtool only compares, so it reports the alerts as unexpected results.
    const expectsNone = {
      rule_files: [rulesFile],
      evaluation_interval: '30s',
      tests: [
        {
          interval: '1m',
          input_series: scrapes.inputSeries(metrics),
          promql_expr_test: [{ expr: everFiring, eval_time: '50m', exp_samples: [] }],
        },
      ],
    };
    writeFileSync(join(folder, 'test.yml'), stringify(expectsNone));
    await runProgram(promtool.path, ['test', 'rules', 'test.yml'], { cwd: folder, ...promtool });
    return [];
  } catch (error) {
    const got = /got: (\{.*)/.exec(error instanceof Error ? error.message : '')?.[1];
    if (got === undefined) throw error;
    return [...got.matchAll(/alertname="(\w+)"/g)].map(([, alert = '']) => alert);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
