import { sql } from 'kysely';
import type { Executor } from '../transaction.ts';

export interface OrganizationRow {
  id: string;
  name: string;
  timezone: string;
  default_provider: string | null;
  max_lines: number | null;
}

/** For operators: the organizations with this id or name, or all. Oldest first. */
export function findOrganizations(
  db: Executor,
  { named, limit }: { named?: string | undefined; limit: number },
): Promise<OrganizationRow[]> {
  return db
    .selectFrom('organizations')
    .select(['id', 'name', 'timezone', 'default_provider', 'max_lines'])
    .$if(named !== undefined, (query) =>
      query.where((where) =>
        where.or([
          where('name', '=', named ?? ''),
          where(sql<string>`id::text`, '=', (named ?? '').toLowerCase()),
        ]),
      ),
    )
    .orderBy('created_at')
    .limit(limit)
    .execute();
}
