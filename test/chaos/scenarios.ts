import { reportChecks } from './run/report.ts';
import { scenarios } from './scenarios/index.ts';
import { runScenario } from './scenarios/run-scenarios.ts';
import { openServers } from './scenarios/servers.ts';

/** Runs the named scenarios, or all of them, one after another. Exits with status 1 if one of them failed. */
const names = process.argv.slice(2);
const chosen = names.length === 0 ? [...scenarios.keys()] : names;
const servers = await openServers();
let failed = 0;
for (const name of chosen) {
  const scenario = scenarios.get(name);
  if (!scenario) throw new Error(`there is no scenario ${name}`);
  failed += reportChecks([await runScenario(servers, scenario)]).failed;
}
await servers.stop();
process.exit(failed === 0 ? 0 : 1);
