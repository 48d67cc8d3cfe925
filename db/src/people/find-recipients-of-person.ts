import { zoneOfKey } from '@outdial/core';
import { sql } from 'kysely';
import { newestFirst, type NewestFirst, rowInstant } from '../lists/newest-first.ts';
import type { Executor } from '../transaction.ts';

export interface RecipientOfPerson {
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

interface ListedRecipientOfPerson {
  recipient: RecipientOfPerson;
  /** For the list's cursor. Unique, because a campaign has each number once. */
  position: readonly [at: string, id: string];
}

/** Recipients of the newest campaigns first. */
export async function findRecipientsOfPerson(
  db: Executor,
  person: { organizationId: string; phoneNumber: string; page: NewestFirst },
): Promise<ListedRecipientOfPerson[]> {
  const { rows } = await sql<
    Omit<RecipientOfPerson, 'timezone'> & { calling_key: string; row_instant: string }
  >`
    select r.id, r.campaign_id, c.name as campaign_name, r.state, r.attempts, r.round, r.last_outcome, r.calling_key,
      r.prompt_params, r.first_attempt_at, r.next_attempt_at, ${rowInstant('c.created_at')} as row_instant
    from campaigns c
    join campaign_recipients r on r.organization_id = c.organization_id and r.campaign_id = c.id
    where c.organization_id = ${person.organizationId} and r.phone_number = ${person.phoneNumber}
      ${newestFirst({ at: 'c.created_at', id: 'c.id' }, person.page)}`.execute(db);
  return rows.map(({ row_instant: instant, calling_key: key, ...row }) => ({
    recipient: { ...row, timezone: zoneOfKey(key) },
    position: [instant, row.campaign_id],
  }));
}
