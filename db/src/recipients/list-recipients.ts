import { sql, type RawBuilder, type Selectable } from 'kysely';
import { stateConditions } from '../campaign-counts/campaign-counts.ts';
import { isOlder, type NewestIdFirst } from '../lists/newest-first.ts';
import type { CampaignRecipientTable } from '../schema/campaigns.ts';
import type { Executor } from '../transaction.ts';
import { outcomes, recipientStates, type Outcome, type PublicRecipientState } from '@outdial/core';
import type { CampaignKey } from '../keys.ts';

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

export async function listRecipients(
  db: Executor,
  key: CampaignKey,
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

export async function findRecipient(
  db: Executor,
  key: CampaignKey,
  recipientId: string,
): Promise<RecipientRecord | null> {
  const [record] = await recipientsFrom(db, key, sql`select ${recipientId}::uuid as id`);
  return record ?? null;
}

async function recipientsFrom(
  db: Executor,
  key: CampaignKey,
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

/** Filters for the recipients of a campaign; an omitted filter selects all. */
export interface RecipientFilters {
  state?: PublicRecipientState | undefined;
  outcome?: Outcome | undefined;
  phoneNumber?: string | undefined;
}

/** `never` means recipients that were never called. */
type LastOutcome = Outcome | 'never';

/**
 * The conditions whose union is the result of a filter. Each has an equality on every column that precedes the id in its index. So Postgres reads the
 * rows in the order of their ids, and stops after a page.
 */
export function filterBranches(filters: RecipientFilters): Array<RawBuilder<unknown>> {
  const { state, outcome, phoneNumber } = filters;
  if (phoneNumber !== undefined) {
    const asked = [sql`r.phone_number = ${phoneNumber}`];
    // The query has one table, so its columns need no table name.
    if (state !== undefined) asked.push(sql`(${sql.raw(stateConditions[state])})`);
    if (outcome !== undefined) asked.push(sql`r.last_outcome = ${outcome}`);
    return [sql.join(asked, sql` and `)];
  }
  if (state === undefined && outcome === undefined) return [sql`true`];
  const states = state === undefined ? recipientStates : [state];
  return states.flatMap((one) => branchesOfState(one, outcome));
}

function branchesOfState(
  state: PublicRecipientState,
  outcome: Outcome | undefined,
): Array<RawBuilder<unknown>> {
  const possible = possibleOutcomes(state).filter((one) => outcome === undefined || one === outcome);
  const each = (of: RawBuilder<unknown>) =>
    possible.map((one) => sql`${of} and coalesce(r.last_outcome, '') = ${one === 'never' ? '' : one}`);
  switch (state) {
    case 'waiting':
    case 'retrying':
      return each(sql`r.state = 'pending'`);
    case 'in_call':
      // At most as many as the campaign has lines.
      return [
        sql`r.state = 'dialing' and (${outcome ?? null}::text is null or r.last_outcome = ${outcome ?? null})`,
      ];
    case 'reached':
    case 'unreached':
      return each(sql`r.state = 'done'`);
    case 'suppressed':
      return each(sql`r.state = 'suppressed'`);
    case 'withdrawn':
      return each(sql`r.state = 'withdrawn'`);
    default:
      return state satisfies never;
  }
}

function possibleOutcomes(state: PublicRecipientState): LastOutcome[] {
  switch (state) {
    case 'waiting':
      return ['never'];
    case 'retrying':
      return [...outcomes];
    case 'reached':
      return ['completed'];
    case 'unreached':
      return [...outcomes.filter((outcome) => outcome !== 'completed'), 'never'];
    default:
      return [...outcomes, 'never'];
  }
}
