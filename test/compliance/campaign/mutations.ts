import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { copyCheckout } from '../../chaos/mutations/checkout-copy.ts';
import { repeatLine } from '../../steps/repeat.ts';
import { brokenRules, type BrokenRule } from './broken-rules.ts';

/**
 * `npm run compliance:mutations [-- name …]`: breaks calling rules one by one in a copy of the sources, and checks that the three-week checker finds
 * each. Each one takes a run of the small list, about a minute, or until the first fault.
 */
const threeWeeks = 'test/integration/compliance/three-weeks.test.ts';
const names = process.argv.slice(2);
const root = fileURLToPath(new URL('../../../', import.meta.url));
const copy = copyCheckout(root);
cpSync(join(root, 'vitest.config.ts'), join(copy.path, 'vitest.config.ts'));

function runChecker({ isInReceipts = false, test = threeWeeks }: BrokenRule): string {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const { stdout, stderr } = spawnSync(process.execPath, [vitest, 'run', '--project', 'integration', test], {
    cwd: copy.path,
    encoding: 'utf8',
    timeout: 600_000,
    env: {
      ...process.env,
      OUTDIAL_TEST_LEVEL: 'long',
      ...(!isInReceipts && { COMPLIANCE_FIRST_FAULT: '1' }),
    },
  });
  return stdout + stderr;
}

const missed: string[] = [];
try {
  for (const rule of brokenRules.filter(({ name }) => names.length === 0 || names.includes(name))) {
    const revert = copy.apply([rule]);
    const line = runChecker(rule)
      .split('\n')
      .find((one) => rule.found.test(one));
    revert();
    if (line === undefined) missed.push(rule.name);
    console.log(
      `  ${line === undefined ? 'missed' : 'found '} ${rule.name.padEnd(38)} ${line?.trim() ?? ''}`,
    );
  }
} finally {
  copy.remove();
}
if (missed.length > 0) console.log(repeatLine(`npm run compliance:mutations -- ${missed.join(' ')}`));
process.exitCode = missed.length === 0 ? 0 : 1;
