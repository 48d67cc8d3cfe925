import type { OrganizationLines } from '@outdial/core';
import { type RawBuilder, sql } from 'kysely';
import { prepared } from '../postgres/prepared.ts';
import type { Tx } from '../transaction.ts';

export interface ProviderContention {
  own: OrganizationLines;
  /** The other organizations that wait for a line of the provider. */
  others: OrganizationLines[];
}

/** Lines that organizations have at some providers: counted from the rows, since counters are kept for providers as a whole. */
export function linesByOrganization(providers: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(
    select organization_id, count(*)::int as lines, max(served_at) as served_at from (
      select organization_id, gated_at as served_at from calls
      where phase in ('placing', 'ringing', 'answered') and provider = any(${providers})
      union all
      select organization_id, null from campaign_recipients where state = 'claimed' and claim_provider = any(${providers})) held
    group by organization_id)`;
}

/** Who wants lines of a provider that has a cap. What an organization's own cap forbids it does not want. */
export async function readProviderContention(
  tx: Tx,
  { organizationId, provider }: { organizationId: string; provider: string },
): Promise<ProviderContention> {
  const { rows } = await sql<{
    organization_id: string;
    in_use: number;
    weight: number;
    served_at: Date | null;
    wanted: number | null;
  }>`
    with queued as (
      select organization_id, count(*)::int as calls from calls
      where phase = 'queued' and provider = ${provider} group by organization_id),
    campaigns as (
      select organization_id, max(served_at) as served_at from campaign_runtime
      where waiting_for = 'provider_line' and provider = ${provider} group by organization_id),
    contenders as (
      select ${organizationId}::uuid as organization_id
      union select organization_id from queued union select organization_id from campaigns)
    select o.id as organization_id, coalesce(busy.lines, 0) as in_use, o.line_weight as weight,
      greatest(busy.served_at, campaigns.served_at) as served_at,
      least(case when campaigns.organization_id is null then coalesce(queued.calls, 0) end,
            case when o.max_lines is not null then greatest(0, o.max_lines - o.lines_in_use) end) as wanted
    from contenders join organizations o on o.id = contenders.organization_id
    left join queued on queued.organization_id = o.id
    left join campaigns on campaigns.organization_id = o.id
    left join ${linesByOrganization(sql`array[${provider}]::text[]`)} busy on busy.organization_id = o.id`.execute(
    prepared(tx),
  );
  let own: OrganizationLines = { inUse: 0, weight: 1, servedAt: null };
  const others: OrganizationLines[] = [];
  for (const row of rows) {
    const lines = { inUse: row.in_use, weight: row.weight, servedAt: row.served_at };
    if (row.organization_id === organizationId) own = lines;
    else others.push({ ...lines, ...(row.wanted !== null && { wanted: row.wanted }) });
  }
  return { own, others };
}
