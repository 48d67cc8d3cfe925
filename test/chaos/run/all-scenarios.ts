import type { CheckResult } from '../checks/evidence.ts';
import type { ChaosOptions } from '../options.ts';
import { scenarios } from '../scenarios/index.ts';
import { runScenario } from '../scenarios/run-scenarios.ts';
import { openServers } from '../scenarios/servers.ts';

/** Runs every scenario, one after another; the short form leaves out what a test of the same run tries as well. */
export async function runScenarios({ short }: Pick<ChaosOptions, 'short'>): Promise<CheckResult[]> {
  const chosen = [...scenarios].filter(([, { sameAs }]) => !short || sameAs === undefined);
  console.log(`scenarios: ${chosen.length}`);
  const servers = await openServers();
  try {
    const results: CheckResult[] = [];
    for (const [name, scenario] of chosen) {
      results.push({
        ...(await runScenario(servers, scenario)),
        repeat: `node test/chaos/scenarios.ts ${name}`,
      });
    }
    return results;
  } finally {
    await servers.stop();
  }
}
