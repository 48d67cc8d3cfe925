import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { copyCheckout } from '../chaos/mutations/checkout-copy.ts';
import type { Attack } from './attack.ts';

const runWithinMs = 120_000;

/** Runs each attack on a copy without its protection; returns whether each missed a figure there. */
export function bite(attacks: readonly Attack[]): boolean {
  const copy = copyCheckout(fileURLToPath(new URL('../../', import.meta.url)));
  let missed = 0;
  try {
    for (const { name, withoutProtection } of attacks) {
      const revert = copy.apply(withoutProtection);
      const run = spawnSync(process.execPath, ['test/attack/main.ts', '--short', '--only', name], {
        cwd: copy.path,
        encoding: 'utf8',
        timeout: runWithinMs,
        killSignal: 'SIGTERM',
      });
      revert();
      // A service that is gone takes its attackers with it.
      const caught = run.status === null || (run.status !== 0 && run.stdout.includes('MISSED'));
      const said =
        // The last: what the attack itself is held to comes behind what the neighbour noticed.
        run.stdout.split('\n').findLast((line) => line.includes('MISSED')) ??
        (run.status === null ? 'the service did not come back' : run.stderr.slice(0, 300));
      console.log(`${caught ? 'bites ' : 'SLEEPS'} ${name}: ${said.trim()}`);
      if (!caught) {
        missed += 1;
        console.log(run.stdout.trim());
      }
    }
  } finally {
    copy.remove();
  }
  return missed === 0;
}
