import { comesAfter, type NewestFirst, rowInstant } from '../lists/index.ts';
import type { Executor } from '../transaction.ts';

export interface TagRow {
  id: string;
  name: string;
  created_at: Date;
  row_instant: string;
}

/** Newest first. */
export function listTags(
  db: Executor,
  { organizationId, page }: { organizationId: string; page: NewestFirst },
): Promise<TagRow[]> {
  return db
    .selectFrom('tags')
    .select(['id', 'name', 'created_at', rowInstant('created_at').as('row_instant')])
    .where('organization_id', '=', organizationId)
    .where(comesAfter({ at: 'created_at', id: 'id' }, page.after))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit)
    .execute();
}
