import { type NewestFirst, selectNewestFirst } from '../lists/newest-first.ts';
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
  const tags = db
    .selectFrom('tags')
    .select(['id', 'name', 'created_at'])
    .where('organization_id', '=', organizationId);
  return selectNewestFirst(tags, page).execute();
}
