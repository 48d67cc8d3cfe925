/*
 * Checks the files that operators deploy with the programs that read them: Prometheus rules and dashboard queries with promtool, the Helm chart with
 * helm. Downloads missing programs into .cache, without privileges. Exits with status 1 if a check fails or a program is not available.
 */
import { checkGrafanaBoard } from './grafana.ts';
import { checkHelmChart } from './helm.ts';
import { checkPrometheusRules } from './prometheus.ts';

const checks = {
  'Prometheus rules': checkPrometheusRules,
  'Grafana board': checkGrafanaBoard,
  'Helm chart': checkHelmChart,
};

let failed = 0;
for (const [name, check] of Object.entries(checks)) {
  try {
    await check();
    process.stdout.write(`${name}: right\n`);
  } catch (error) {
    failed += 1;
    process.stderr.write(`${name}: ${error instanceof Error ? error.message : String(error)}\n`);
  }
}
process.exitCode = failed === 0 ? 0 : 1;
