import { randomOf } from '../../chaos/random.ts';
import type { Stack } from '../../support/stack/start-stack.ts';
import { changed, type JudgedOrganization } from './judged-organization.ts';

/** Selects one in twenty numbers; a name always selects the same ones. */
export function sampleOf(numbers: readonly string[], name: string): string[] {
  return numbers.filter((phoneNumber) => randomOf(1, `${name} ${phoneNumber}`).chance(0.05));
}

/** Imports a version of a scrub list, which counts from the answer on. */
export async function importScrubList(
  stack: Stack,
  { ledger, send }: JudgedOrganization,
  { name, scrubbedMs, numbers }: { name: string; scrubbedMs: number; numbers: readonly string[] },
): Promise<void> {
  const since = await changed(stack, () =>
    send('POST', '/scrub-lists/import', {
      name,
      source: `the ${name} registry`,
      account: '10034221',
      scrubbed_at: new Date(scrubbedMs).toISOString(),
      complete: true,
      // The world's lists are samples, whose sizes differ.
      force: true,
      numbers,
    }),
  );
  const versions = ledger.scrubs.get(name) ?? [];
  versions.push({ since, value: { scrubbedMs, numbers: new Set(numbers) } });
  ledger.scrubs.set(name, versions);
}
