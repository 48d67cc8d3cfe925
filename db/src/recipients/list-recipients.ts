import { type CallingKey, type Deferral, type Outcome, zoneOfKey } from '@outdial/core';
import { sql, type RawBuilder } from 'kysely';
import {
  recipientStates,
  stateConditions,
  type PublicRecipientState,
} from '../campaign-counts/count-columns.ts';
import { isOlder, type NewestIdFirst } from '../lists/newest-first.ts';
import type { Executor } from '../transaction.ts';
import { filterBranches, type RecipientFilters } from './recipient-filters.ts';

/** A recipient as the API returns it. */
export interface RecipientRecord {
  id: string;
  phoneNumber: string;
  state: PublicRecipientState;
  attempts: number;
  round: number;
  lastOutcome: Outcome | null;
  lastCallId: string | null;
  /** When the next attempt is due; the window may open later. Null if there is no next attempt. */
  dueAt: Date | null;
  /** Why the gate deferred the recipient until then. */
  deferredFor: Deferral | null;
  timezone: string;
  callingKey: CallingKey;
  promptParams: Record<string, string> | null;
}

export interface RecipientsOfCampaign {
  organizationId: string;
  campaignId: string;
}

interface RecipientRow {
  id: string;
  phone_number: string;
  state: PublicRecipientState;
  attempts: number;
  round: number;
  last_outcome: Outcome | null;
  last_call_id: string | null;
  due_at: Date | null;
  deferred_for: Deferral | null;
  calling_key: string;
  prompt_params: Record<string, string> | null;
}

/** One page of a campaign's recipients, newest first. */
export async function listRecipients(
  db: Executor,
  key: RecipientsOfCampaign,
  { filters, page }: { filters: RecipientFilters; page: NewestIdFirst },
): Promise<RecipientRecord[]> {
  const branches = filterBranches(filters).map(
    (branch) => sql`(
      select r.id from campaign_recipients r
      where r.organization_id = ${key.organizationId} and r.campaign_id = ${key.campaignId}
        and ${isOlder('r.id', page.after)} and ${branch}
      order by r.id desc limit ${page.limit})`,
  );
  // A reached recipient's last outcome is `completed`, so other outcomes match nothing.
  if (branches.length === 0) return [];
  return recipientsFrom(
    db,
    key,
    sql`select id from (${sql.join(branches, sql` union all `)}) found order by id desc limit ${page.limit}`,
  );
}

/** Null if the recipient is not in the campaign. */
export async function findRecipient(
  db: Executor,
  key: RecipientsOfCampaign,
  recipientId: string,
): Promise<RecipientRecord | null> {
  const [record] = await recipientsFrom(db, key, sql`select ${recipientId}::uuid as id`);
  return record ?? null;
}

async function recipientsFrom(
  db: Executor,
  key: RecipientsOfCampaign,
  ids: RawBuilder<unknown>,
): Promise<RecipientRecord[]> {
  const { rows } = await sql<RecipientRow>`
    with ids as materialized (${ids})
    select r.id, r.phone_number, ${publicState} as state, r.attempts, r.round, r.last_outcome,
      case when r.state = 'pending' then r.next_attempt_at end as due_at,
      case when r.deferred_until = r.next_attempt_at then r.deferred_for end as deferred_for,
      r.calling_key, r.prompt_params,
      (select c.id from calls c where c.recipient_id = r.id order by c.attempt desc limit 1) as last_call_id
    from ids join campaign_recipients r
      on r.organization_id = ${key.organizationId} and r.campaign_id = ${key.campaignId} and r.id = ids.id
    order by r.id desc`.execute(db);
  return rows.map((row) => ({
    id: row.id,
    phoneNumber: row.phone_number,
    state: row.state,
    attempts: row.attempts,
    round: row.round,
    lastOutcome: row.last_outcome,
    lastCallId: row.last_call_id,
    dueAt: row.due_at,
    deferredFor: row.deferred_for,
    timezone: zoneOfKey(row.calling_key),
    callingKey: row.calling_key,
    promptParams: row.prompt_params,
  }));
}

/** The public state of a row `r`. */
const publicState = sql.raw(
  `case ${recipientStates.map((state) => `when ${stateConditions[state].replaceAll(/\b(state|last_outcome|withdrawn_at)\b/g, 'r.$1')} then '${state}'`).join(' ')} end`,
);
