import type { CheckResult } from '../checks/evidence.ts';
import type { Scenario } from './scenario.ts';
import type { ScenarioServers } from './servers.ts';
import { withWorld } from './world.ts';

/** Longer than any scenario takes on a slow machine. A mutation may make a scenario hang. */
const timeoutMs = 60_000;

export async function runScenario(servers: ScenarioServers, scenario: Scenario): Promise<CheckResult> {
  const began = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not over within ${timeoutMs / 1000} s`)), timeoutMs);
  });
  const faults: string[] = [];
  try {
    await Promise.race([withWorld(servers, scenario.options ?? {}, (world) => scenario.run(world)), late]);
  } catch (error) {
    faults.push((error instanceof Error ? error.message : String(error)).split('\n').slice(0, 6).join(' '));
    if (process.env['SCENARIO_STACK'] === '1') console.error(error);
  } finally {
    clearTimeout(timer);
  }
  return { name: scenario.name, faults, figures: `${((performance.now() - began) / 1000).toFixed(1)} s` };
}
