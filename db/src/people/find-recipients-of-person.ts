import { zoneOfKey } from '@outdial/core';
import { sql } from 'kysely';
import type { Executor } from '../transaction.ts';

/** A person as one recipient of one campaign. */
export interface RecipientOfPersonRow {
  id: string;
  campaign_id: string;
  campaign_name: string;
  state: string;
  attempts: number;
  round: number;
  last_outcome: string | null;
  timezone: string;
  prompt_params: Record<string, string> | null;
  first_attempt_at: Date | null;
  next_attempt_at: Date | null;
}

export async function findRecipientsOfPerson(
  db: Executor,
  args: { organizationId: string; phoneNumber: string; limit: number },
): Promise<RecipientOfPersonRow[]> {
  const { rows } = await sql<RecipientOfPersonRow>`
    select r.id, r.campaign_id, c.name as campaign_name, r.state, r.attempts, r.round, r.last_outcome, r.timezone,
      r.prompt_params, r.first_attempt_at, r.next_attempt_at
    from campaigns c
    join campaign_recipients r on r.organization_id = c.organization_id and r.campaign_id = c.id
    where c.organization_id = ${args.organizationId} and r.phone_number = ${args.phoneNumber}
    order by c.created_at desc, c.id desc
    limit ${args.limit}`.execute(db);
  return rows.map((row) => ({ ...row, timezone: zoneOfKey(row.timezone) }));
}
