import { complianceRowsAtMost, ConflictError, scrubListsHeldAtMost } from '@outdial/core';
import { sql } from 'kysely';
import { locks } from '../locks.ts';
import type { Tx } from '../transaction.ts';

const descriptions = {
  scrub_list_numbers:
    'numbers on its scrub lists. Numbers of removed lists count until a sweep has deleted them',
  number_changes: 'number changes',
  person_numbers: 'numbers of people',
  number_queries: 'queries of numbers',
} as const;

/**
 * Checks the limit after inserting rows. The transaction has locked the count, so concurrent imports cannot exceed the limit together.
 * @throws ConflictError `quota_exceeded`
 */
export async function requireRowsWithin(
  tx: Tx,
  { organizationId, relation }: { organizationId: string; relation: keyof typeof complianceRowsAtMost },
): Promise<void> {
  const atMost = complianceRowsAtMost[relation];
  const { rows } = await sql`
    select held from compliance_rows_held
    where organization_id = ${organizationId} and relation = ${relation} and held > ${atMost}`.execute(tx);
  if (rows.length === 0) return;
  throw new ConflictError(
    'quota_exceeded',
    `The organization can have ${atMost.toLocaleString('en')} ${descriptions[relation]}`,
  );
}

/** Checks the limit after inserting a list. @throws ConflictError `quota_exceeded` */
export async function requireListsWithin(tx: Tx, organizationId: string): Promise<void> {
  // Without this lock, concurrent transactions would not see each other's lists.
  await sql`select ${locks.scrubLists.take(organizationId)}`.execute(tx);
  const { rows } = await sql<{ lists: number }>`
    select count(*)::integer as lists from scrub_lists
    where organization_id = ${organizationId} and removed_at is null`.execute(tx);
  if ((rows[0]?.lists ?? 0) <= scrubListsHeldAtMost) return;
  throw new ConflictError(
    'quota_exceeded',
    `The organization can have ${scrubListsHeldAtMost} scrub lists, and has reached that limit`,
  );
}
