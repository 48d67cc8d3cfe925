import type { CheckResult } from '../checks/evidence.ts';
import { scenarios } from '../scenarios/index.ts';
import { runScenario } from '../scenarios/run-scenarios.ts';
import { openServers } from '../scenarios/servers.ts';

/** Runs every scenario, one after another. */
export async function runScenarios(): Promise<CheckResult[]> {
  console.log(`scenarios: ${scenarios.size}`);
  const servers = await openServers();
  try {
    const results: CheckResult[] = [];
    for (const [name, scenario] of scenarios) {
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
