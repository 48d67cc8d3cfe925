import { fileURLToPath } from 'node:url';
import { repeatLine } from '../steps/repeat.ts';
import { openServers } from './scenarios/servers.ts';
import { allMutations } from './mutations/all-mutations.ts';
import { copyCheckout } from './mutations/checkout-copy.ts';
import { runMutation, runScenarios } from './mutations/run-mutation.ts';

/**
 * `npm run chaos:mutations [-- name …]`: removes each protection from a copy of the sources, and checks that its scenario then fails. First runs all
 * scenarios on the unchanged copy, because a scenario that fails there proves nothing.
 */
async function main(names: readonly string[]): Promise<boolean> {
  const chosen =
    names.length === 0 ? allMutations : allMutations.filter((mutation) => names.includes(mutation.name));
  const unknown = names.filter((name) => !chosen.some((mutation) => mutation.name === name));
  if (unknown.length > 0) throw new Error(`there is no mutation ${unknown.join(', ')}`);
  const copy = copyCheckout(fileURLToPath(new URL('../../', import.meta.url)));
  const servers = await openServers();
  let caught = 0;
  const missed: string[] = [];
  try {
    const wanted = names.length === 0 ? [] : [...new Set(chosen.map((mutation) => mutation.caughtBy))];
    const before = await runScenarios(copy, servers, wanted);
    console.log(before.output.trimEnd());
    if (before.status !== 0) throw new Error('scenarios fail on the unchanged sources');
    console.log('');
    for (const mutation of chosen) {
      const result = await runMutation(copy, servers, mutation);
      if (result.kind === 'caught') caught += 1;
      else missed.push(mutation.name);
      const detail =
        result.kind === 'caught' ? result.by : result.kind === 'broken' ? result.reason : mutation.takesOut;
      console.log(
        `  ${result.kind.padEnd(7)} ${mutation.name.padEnd(30)} ${mutation.caughtBy.padEnd(24)} ${detail.slice(0, 110)}`,
      );
    }
  } finally {
    await servers.stop();
    copy.remove();
  }
  console.log(`\n${caught} mutations caught, ${missed.length} missed`);
  if (missed.length > 0) console.log(repeatLine(`npm run chaos:mutations -- ${missed.join(' ')}`));
  console.log(`${caught} passed, ${missed.length} failed`);
  return missed.length === 0;
}

process.exitCode = (await main(process.argv.slice(2))) ? 0 : 1;
