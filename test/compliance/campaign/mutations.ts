import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { copyCheckout } from '../../chaos/mutations/checkout-copy.ts';
import type { Edit } from '../../chaos/mutations/mutation.ts';

/**
 * `npm run compliance:mutations [-- name …]`: breaks rules one by one in a copy of the sources, and shows that the checker of
 * three weeks finds each. It takes a run of its small list for each, about a minute, or until the first fault.
 */
interface BrokenRule extends Edit {
  name: string;
  /** What a fault that the checker finds has to say. */
  found: RegExp;
  /** Only seen when all receipts are read; else a run ends with its first fault. */
  isInReceipts?: boolean;
  /** Of which the weeks of the checker have nothing: the simulated carrier reports no voices. */
  test?: string;
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
    name: 'one call of each caller id at a time',
    file: 'packages/core/src/caller-ids/choose-caller-ids.ts',
    find: 'of.taken >= of.room)',
    replace: 'of.taken >= Math.min(of.room, 1))',
    found: /refused for no_caller_id .* and not for/,
    isInReceipts: true,
  },
  {
    name: 'calls that a receipt does not count',
    file: 'db/src/compliance/person-free-at.ts',
    find: 'and d.at > ${of.now} - cap.hours',
    replace: 'and d.at < ${of.now} - cap.hours',
    found: /of \d+ calls in \d+ hours/,
    isInReceipts: true,
  },
  {
    name: 'numbers on a scrub list',
    file: 'db/src/engine/gate/conditions.ts',
    find: 'holds: sql`not g.is_on_scrub_list`',
    replace: 'holds: sql`true`',
    found: /was dialed: on_scrub_list/,
  },
  {
    name: 'scrub lists of last month',
    file: 'packages/core/src/compliance/scrub-lists.ts',
    find: 'scrubGoodForDays = 31',
    replace: 'scrubGoodForDays = 40',
    found: /was dialed: scrub_outdated/,
  },
  {
    name: 'consents of who had the number before',
    file: 'db/src/compliance/number-changes.ts',
    find: 'n.phone_number = c.phone_number and n.changed_at >= c.given_at)`;',
    replace: 'n.phone_number = c.phone_number and false)`;',
    // The database refuses it as well (migration 0055).
    found: /was dialed: no_consent|the number was ported or reassigned since the consent/,
  },
  {
    name: 'disclosures of the country in each state',
    file: 'packages/core/src/compliance/opening.ts',
    find: '[jurisdiction, jurisdiction.slice(0, 2), ',
    replace: '[jurisdiction.slice(0, 2), ',
    found: /says \[.*Florida/,
    isInReceipts: true,
  },
  {
    name: 'places that a change of policy forgets',
    file: 'db/src/engine/rekey-recipients.ts',
    find: '    region,\n    postalCode,\n  };',
    replace: '    region: undefined,\n    postalCode: undefined,\n  };',
    found: /was left out|was dialed: calling_hours/,
  },
  {
    name: 'direct calls a minute after a call',
    file: 'packages/engine/src/calls/request-call.ts',
    find: '  if (freeAt === null) return;',
    replace: '  if (freeAt !== undefined) return;',
    found: /a direct call to .* was not refused: person_capped/,
  },
  {
    name: 'abandonment of a third',
    file: 'packages/core/src/compliance/abandonment.ts',
    find: 'abandonedShareAtMost = 0.03',
    replace: 'abandonedShareAtMost = 0.33',
    found: /expected 4 to be 2|FAIL .*abandonment/,
    test: 'test/integration/compliance/abandonment.test.ts',
  },
];

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
      OUTDIAL_TEST_FULL: '1',
      ...(!isInReceipts && { COMPLIANCE_FIRST_FAULT: '1' }),
    },
  });
  return stdout + stderr;
}

let missed = 0;
try {
  for (const rule of broken.filter(({ name }) => names.length === 0 || names.includes(name))) {
    const revert = copy.apply([rule]);
    const line = runChecker(rule)
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
