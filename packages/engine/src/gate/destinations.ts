import { setImmediate } from 'node:timers/promises';
import { andMore, type ValidationErrorEntry } from '@outdial/contracts';
import { type DestinationRules, judgeDestination, refusalOf, specialNumbers } from '@outdial/core';
import { findOrganizationLimits, type Executor, type OrganizationLimits } from '@outdial/db';

const faultsAtMost = 100;
/** Other requests run between batches of this size. */
const numbersAtOnce = 20_000;

export function destinationRules({
  allowed_countries: allowedCountries,
  allowed_special_numbers: allowedSpecialNumbers,
}: Pick<OrganizationLimits, 'allowed_countries' | 'allowed_special_numbers'>): DestinationRules {
  return {
    allowedCountries,
    allowedSpecial: specialNumbers.filter((special) => allowedSpecialNumbers.includes(special)),
  };
}

export function isAllowedDestination(
  phoneNumber: string,
  limits: Parameters<typeof destinationRules>[0],
): boolean {
  return judgeDestination(phoneNumber, destinationRules(limits)).kind === 'allowed';
}

/** The numbers that may not be called, with their positions and reasons. */
async function* refusals(phoneNumbers: readonly string[], rules: DestinationRules) {
  for (const [index, number] of phoneNumbers.entries()) {
    if (index > 0 && index % numbersAtOnce === 0) await setImmediate();
    const reason = refusalOf(judgeDestination(number, rules));
    if (reason !== null) yield { index, number, reason };
  }
}

/** The numbers that an organization may not call, each with the reason. */
export async function findRefusedNumbers(
  db: Executor,
  organizationId: string,
  phoneNumbers: readonly string[],
): Promise<Map<string, string>> {
  const rules = destinationRules(await findOrganizationLimits(db, organizationId));
  const refused = new Map<string, string>();
  for await (const { number, reason } of refusals(phoneNumbers, rules)) refused.set(number, reason);
  return refused;
}

/** A fault for each number that the organization may not call. Names the first hundred and counts the rest. */
export async function refusedDestinations(
  phoneNumbers: readonly string[],
  rules: DestinationRules,
  loc: ReadonlyArray<string | number>,
): Promise<ValidationErrorEntry[]> {
  const faults: ValidationErrorEntry[] = [];
  let more = 0;
  for await (const { index, reason: msg } of refusals(phoneNumbers, rules)) {
    if (faults.length < faultsAtMost) faults.push({ loc: [...loc, index], msg, type: 'value_error' });
    else more += 1;
  }
  return [...faults, ...andMore(loc, more)];
}
