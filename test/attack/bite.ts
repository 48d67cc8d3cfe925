import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { copyCheckout } from '../chaos/mutations/checkout-copy.ts';
import { repeatLine } from '../steps/repeat.ts';
import type { Attack } from './attack.ts';
import { caughtBy, type Run } from './caught-by.ts';

/** Includes the start of the service on a busy machine. */
const runWithinMs = 300_000;
const endWithinMs = 10_000;

/** Runs each attack on a copy of the sources, with its protection and without it. Returns whether every removal was caught. */
export async function bite(attacks: readonly Attack[]): Promise<boolean> {
  const copy = copyCheckout(fileURLToPath(new URL('../../', import.meta.url)));
  const uncaught: string[] = [];
  try {
    for (const { name, withoutProtection } of attacks) {
      const protectedRun = await runAlone(copy.path, name);
      const revert = copy.apply(withoutProtection);
      const bareRun = await runAlone(copy.path, name);
      revert();
      const caught = caughtBy({ protectedRun, bareRun });
      const isCaught = caught.length > 0;
      console.log(
        `${isCaught ? 'caught' : 'NOT CAUGHT'} ${name}: ${caught.join('; ') || 'no figure is missed only without the protection'}`,
      );
      const anyway = [...protectedRun.missed, ...(protectedRun.fell === null ? [] : [protectedRun.fell])];
      if (anyway.length > 0) console.log(`  with the protection too: ${anyway.join('; ')}`);
      if (isCaught) continue;
      uncaught.push(name);
      console.log(bareRun.output.trim());
    }
  } finally {
    copy.remove();
  }
  console.log(
    `${attacks.length - uncaught.length} caught, ${uncaught.length} not caught: ${uncaught.join(', ') || '–'}`,
  );
  if (uncaught.length > 0) console.log(repeatLine(`npm run attack -- --bite --only ${uncaught.join(',')}`));
  return uncaught.length === 0;
}

async function runAlone(path: string, name: string): Promise<Run & { output: string }> {
  // In a separate process group, so that the service of a run that hangs can be killed with it.
  const child = spawn(process.execPath, ['test/attack/main.ts', '--short', '--only', name], {
    cwd: path,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  const closed = once(child, 'close');
  const late = new AbortController();
  await Promise.race([closed, sleep(runWithinMs, undefined, { signal: late.signal }).catch(() => undefined)]);
  late.abort();
  let fell = child.signalCode === null ? null : `the run was ended by ${child.signalCode}`;
  if (child.exitCode === null && child.signalCode === null) {
    fell = `the run did not end within ${runWithinMs / 1_000} s`;
    signalGroup(child.pid, 'SIGTERM');
    await Promise.race([closed, sleep(endWithinMs)]);
    signalGroup(child.pid, 'SIGKILL');
  }
  const missed = output.split('\n').filter((line) => line.includes('MISSED'));
  return { missed: missed.map((line) => line.trim()), fell, output };
}

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // All of it has ended.
  }
}
