import type { Executor } from '../transaction.ts';

export interface ListedSuppression {
  phone_number: string;
  reason: string | null;
  created_at: Date;
}

/** By number, `limit` of them after `after`: a list of millions is read in pages. */
export function listSuppressions(
  db: Executor,
  { organizationId, after = '', limit }: { organizationId: string; after?: string; limit: number },
): Promise<ListedSuppression[]> {
  return db
    .selectFrom('suppressions')
    .select(['phone_number', 'reason', 'created_at'])
    .where('organization_id', '=', organizationId)
    .where('phone_number', '>', after)
    .orderBy('phone_number')
    .limit(limit)
    .execute();
}
