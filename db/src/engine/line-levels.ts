import { sql } from 'kysely';
import type { Tx } from '../transaction.ts';

/** Lines of an organization and a provider, held until the commit; for a call that goes before all campaigns. */
export interface LineLevels {
  organization: { inUse: number; max: number | null };
  provider: { inUse: number; max: number | null; closedUntil: Date | null };
}

export async function holdLineLevels(
  tx: Tx,
  args: { organizationId: string; provider: string },
): Promise<LineLevels | null> {
  const organizations = await sql<{ lines_in_use: number; max_lines: number | null }>`
    select lines_in_use, max_lines from organizations where id = ${args.organizationId} for no key update`.execute(
    tx,
  );
  const providers = await sql<{ lines_in_use: number; max_lines: number | null; closed_until: Date | null }>`
    select lines_in_use, max_lines, closed_until from providers where name = ${args.provider} for no key update`.execute(
    tx,
  );
  const organization = organizations.rows[0];
  const provider = providers.rows[0];
  if (!organization || !provider) return null;
  return {
    organization: { inUse: organization.lines_in_use, max: organization.max_lines },
    provider: { inUse: provider.lines_in_use, max: provider.max_lines, closedUntil: provider.closed_until },
  };
}
