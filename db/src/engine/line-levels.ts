import { sql } from 'kysely';
import { deferred } from '../deferred.ts';
import type { Tx } from '../transaction.ts';

/** Lines of an organization and a provider, for a call that goes before all campaigns. Without a cap they are not counted. */
export interface LineLevels {
  organization: { inUse: number; max: number | null };
  provider: { inUse: number; max: number | null; closedUntil: Date | null };
}

/** Once the caps of lines are kept (line-caps.ts). What is counted is held until the commit, the organization before the provider. */
export async function holdLineLevels(
  tx: Tx,
  args: { organizationId: string; provider: string },
): Promise<LineLevels | null> {
  await deferred(
    sql`select from organizations where id = ${args.organizationId} and max_lines is not null for no key update`,
    tx,
  );
  await deferred(
    sql`select from providers where name = ${args.provider} and max_lines is not null for no key update`,
    tx,
  );
  const { rows } = await sql<{
    org_in_use: number;
    org_max: number | null;
    provider_in_use: number;
    provider_max: number | null;
    closed_until: Date | null;
  }>`
    select o.lines_in_use as org_in_use, o.max_lines as org_max, p.lines_in_use as provider_in_use,
      p.max_lines as provider_max, p.closed_until
    from organizations o cross join providers p where o.id = ${args.organizationId} and p.name = ${args.provider}`.execute(
    tx,
  );
  const row = rows[0];
  if (!row) return null;
  return {
    organization: { inUse: row.org_in_use, max: row.org_max },
    provider: { inUse: row.provider_in_use, max: row.provider_max, closedUntil: row.closed_until },
  };
}
