import type { CheckResult } from '../checks/evidence.ts';

const shownAtMost = 5;

/** Prints the checks, and returns how many passed. */
export function reportChecks(results: readonly CheckResult[]): { passed: number; failed: number } {
  let failed = 0;
  for (const { name, faults, figures } of results) {
    console.log(`  ${faults.length === 0 ? 'ok  ' : 'FAIL'} ${name}${figures === '' ? '' : ` (${figures})`}`);
    if (faults.length === 0) continue;
    failed += 1;
    for (const fault of faults.slice(0, shownAtMost)) console.log(`         ${fault}`);
    if (faults.length > shownAtMost) console.log(`         and ${faults.length - shownAtMost} more`);
  }
  return { passed: results.length - failed, failed };
}

export function listed(counts: ReadonlyMap<string, number>): string {
  const entries = [...counts].toSorted(([one], [other]) => one.localeCompare(other));
  return entries.length === 0 ? 'none' : entries.map(([name, count]) => `${name} ${count}`).join(', ');
}
