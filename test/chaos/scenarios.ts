import { repeatLine } from '../steps/repeat.ts';
import { reportChecks } from './run/report.ts';
import { scenarios } from './scenarios/index.ts';
import { runScenario } from './scenarios/run-scenarios.ts';
import { openServers } from './scenarios/servers.ts';

/** Runs the named scenarios, or all of them, one after another. Exits with status 1 if one of them failed. */
const names = process.argv.slice(2);
const chosen = names.length === 0 ? [...scenarios.keys()] : names;
const servers = await openServers();
const failed: string[] = [];
for (const name of chosen) {
  const scenario = scenarios.get(name);
  if (!scenario) throw new Error(`there is no scenario ${name}`);
  if (reportChecks([await runScenario(servers, scenario)]).failed > 0) failed.push(name);
}
await servers.stop();
if (failed.length > 0) console.log(repeatLine(`node test/chaos/scenarios.ts ${failed.join(' ')}`));
process.exit(failed.length === 0 ? 0 : 1);
