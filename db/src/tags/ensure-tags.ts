import { sql } from 'kysely';
import type { Tx } from '../transaction.ts';

/** The ids of an organization's tags of these names, by name; those that are new are made. */
export async function ensureTags(
  tx: Tx,
  { organizationId, names }: { organizationId: string; names: readonly string[] },
): Promise<string[]> {
  if (names.length === 0) return [];
  // Sorted, so that two calls that name the same new tags never wait for each other crosswise.
  const sorted = [...new Set(names)].toSorted();
  await sql`
    insert into tags (organization_id, name) select ${organizationId}, unnest(${sorted}::text[])
    on conflict (organization_id, name) do nothing`.execute(tx);
  const rows = await tx
    .selectFrom('tags')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('name', 'in', sorted)
    .orderBy('name')
    .execute();
  return rows.map((row) => row.id);
}
