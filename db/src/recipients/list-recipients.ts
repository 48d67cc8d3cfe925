import { sql, type RawBuilder, type Selectable } from 'kysely';
import {
  recipientStates,
  stateConditions,
  type PublicRecipientState,
} from '../campaign-counts/campaign-counts.ts';
import { isOlder, type NewestIdFirst } from '../lists/newest-first.ts';
import type { CampaignRecipientTable } from '../schema/campaigns.ts';
import type { Executor } from '../transaction.ts';
import { filterBranches, type RecipientFilters } from './recipient-filters.ts';

type Columns =
  | 'id'
  | 'phone_number'
  | 'attempts'
  | 'round'
  | 'last_outcome'
  | 'calling_key'
  | 'prompt_params';

export interface RecipientRecord extends Pick<Selectable<CampaignRecipientTable>, Columns | 'deferred_for'> {
  state: PublicRecipientState;
  last_call_id: string | null;
  /** When the next attempt is due; the window may open later. Null if there is no next attempt. `deferred_for` says why the gate deferred it until then. */
  due_at: Date | null;
}

export interface RecipientsOfCampaign {
  organizationId: string;
  campaignId: string;
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
  const { rows } = await sql<RecipientRecord>`
    with ids as materialized (${ids})
    select r.id, r.phone_number, ${publicState} as state, r.attempts, r.round, r.last_outcome,
      case when r.state = 'pending' then r.next_attempt_at end as due_at,
      case when r.deferred_until = r.next_attempt_at then r.deferred_for end as deferred_for,
      r.calling_key, r.prompt_params,
      (select c.id from calls c where c.recipient_id = r.id order by c.attempt desc limit 1) as last_call_id
    from ids join campaign_recipients r
      on r.organization_id = ${key.organizationId} and r.campaign_id = ${key.campaignId} and r.id = ids.id
    order by r.id desc`.execute(db);
  return rows;
}

/** The public state of a row `r`. */
const publicState = sql.raw(
  `case ${recipientStates.map((state) => `when ${stateConditions[state].replaceAll(/\b(state|last_outcome|withdrawn_at)\b/g, 'r.$1')} then '${state}'`).join(' ')} end`,
);
