/*
 * Checks what operators deploy with the programs that will read it: Prometheus rules and the queries of the board with promtool, the Helm chart with helm. Programs that the
 * machine lacks are brought into .cache, without rights. Ends with 1 where something is wrong or a program cannot be had.
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
