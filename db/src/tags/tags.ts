import { sql } from 'kysely';
import type { Executor, Tx } from '../transaction.ts';
import { type NewestFirst, selectNewestFirst } from '../lists/newest-first.ts';

export async function ensureTags(
  tx: Tx,
  { organizationId, names }: { organizationId: string; names: readonly string[] },
): Promise<string[]> {
  if (names.length === 0) return [];
  // In a fixed order, to avoid deadlocks between requests that create the same tags.
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

export function listTags(
  db: Executor,
  { organizationId, page }: { organizationId: string; page: NewestFirst },
) {
  const tags = db
    .selectFrom('tags')
    .select(['id', 'name', 'created_at'])
    .where('organization_id', '=', organizationId);
  return selectNewestFirst(tags, page).execute();
}
