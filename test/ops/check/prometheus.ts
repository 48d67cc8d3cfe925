import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { onPath } from '../../support/asterisk/find-program.ts';
import { unpackPackages, withLibraries } from '../../support/debian/unpack-packages.ts';
import { runProgram } from './run-program.ts';

const folder = join(import.meta.dirname, '../../../ops/prometheus');

/** The rules are well formed, and each alert fires when and only when its fault lasts. */
export async function checkPrometheusRules(): Promise<void> {
  const promtool = await findPromtool();
  await runProgram(promtool.path, ['check', 'rules', 'outdial.rules.yml'], { cwd: folder, ...promtool });
  await runProgram(promtool.path, ['test', 'rules', 'outdial.rules.test.yml'], { cwd: folder, ...promtool });
}

/** The machine's own, else that of Debian's package, unpacked and not installed. */
async function findPromtool(): Promise<{ path: string; env?: Record<string, string> }> {
  const own = onPath('promtool');
  if (own !== null) return { path: own };
  const unpacked = await unpackPackages({
    name: 'prometheus',
    packages: ['prometheus'],
    foundIn: (root) => {
      const path = join(root, 'usr/bin/promtool');
      return existsSync(path) ? { path, env: withLibraries(root) } : null;
    },
  });
  if (unpacked.state === 'missing') throw new Error(unpacked.reason);
  return unpacked.program;
}
