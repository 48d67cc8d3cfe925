import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { copyCheckout } from '../../chaos/mutations/checkout-copy.ts';
import type { Edit } from '../../chaos/mutations/mutation.ts';

/**
 * `npm run compliance:mutations [-- name …]`: breaks rules one by one in a copy of the sources, and shows that the checker of
 * three weeks finds each. It takes a run of its small list for each, about a minute.
 */
interface BrokenRule extends Edit {
  name: string;
  /** What a fault that the checker finds has to say. */
  found: RegExp;
}

const rules = 'packages/core/src/compliance/rules';

const broken: readonly BrokenRule[] = [
  {
    name: 'an hour too late in Florida',
    file: `${rules}/us-florida.ts`,
    find: 'span(8, 20)',
    replace: 'span(8, 22)',
    found: /US-FL.* was dialed: calling_hours/,
  },
  {
    name: 'an hour too few in Connecticut',
    file: `${rules}/us-connecticut.ts`,
    find: 'span(9, 20)',
    replace: 'span(13, 20)',
    found: /US-CT.* was left out/,
  },
  {
    name: 'one clock for all of Texas',
    file: 'packages/core/src/compliance/places/regions.ts',
    find: "'US-TX': [central, mountain]",
    replace: "'US-TX': [central]",
    found: /US-TX.* was dialed|US-TX.* was left out|the clocks/,
  },
  {
    name: 'holidays on the wrong side of Easter',
    file: 'packages/core/src/compliance/calendar-days.ts',
    find: 'easterSunday(year) + rule.offsetDays',
    replace: 'easterSunday(year) - rule.offsetDays',
    found: /was dialed: calling_hours|was left out/,
  },
  {
    name: 'five calls in a day',
    file: 'packages/core/src/compliance/person-caps.ts',
    find: '{ calls: 3, hours: 24 }',
    replace: '{ calls: 5, hours: 24 }',
    found: /was dialed: person_capped/,
  },
  {
    name: 'no gap between campaigns',
    file: 'packages/core/src/compliance/person-caps.ts',
    find: 'gapSeconds: 4 * 3600',
    replace: 'gapSeconds: 1',
    found: /was dialed: person_capped/,
  },
  {
    name: 'consent that was never given',
    file: 'db/src/engine/gate/conditions.ts',
    find: 'not g.needs_consent or g.consent_id is not null',
    replace: 'true',
    found: /was dialed: no_consent/,
  },
  {
    name: 'caller ids of any country',
    file: 'packages/core/src/caller-ids/choose-caller-ids.ts',
    find: 'if (of.callerId.country !== country || of.taken',
    replace: 'if (country === null || of.taken',
    found: /was dialed: no_caller_id|the caller id/,
  },
  {
    name: 'calls that a receipt does not count',
    file: 'db/src/compliance/person-free-at.ts',
    find: 'and d.at > ${of.now} - cap.hours',
    replace: 'and d.at < ${of.now} - cap.hours',
    found: /of \d+ calls in \d+ hours/,
  },
];

const names = process.argv.slice(2);
const root = fileURLToPath(new URL('../../../', import.meta.url));
const copy = copyCheckout(root);
cpSync(join(root, 'vitest.config.ts'), join(copy.path, 'vitest.config.ts'));

function runChecker(): string {
  const test = 'test/integration/compliance/three-weeks.test.ts';
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const { stdout, stderr } = spawnSync(process.execPath, [vitest, 'run', '--project', 'integration', test], {
    cwd: copy.path,
    encoding: 'utf8',
    timeout: 600_000,
    env: { ...process.env, OUTDIAL_TEST_FULL: '1' },
  });
  return stdout + stderr;
}

let missed = 0;
try {
  for (const rule of broken.filter(({ name }) => names.length === 0 || names.includes(name))) {
    const revert = copy.apply([rule]);
    const line = runChecker()
      .split('\n')
      .find((one) => rule.found.test(one));
    revert();
    if (line === undefined) missed += 1;
    console.log(
      `  ${line === undefined ? 'missed' : 'found '} ${rule.name.padEnd(38)} ${line?.trim() ?? ''}`,
    );
  }
} finally {
  copy.remove();
}
process.exitCode = missed === 0 ? 0 : 1;
