import { type RawBuilder, sql } from 'kysely';
import { returnRecipients, stateOnReturn } from './change-recipients.ts';
import { recipientsFinished } from '../outbox/write-outbox.ts';
import type { Tx } from '../transaction.ts';
import { recipientChunks, type RecipientList } from './recipient-list.ts';
import type { CampaignKey } from '../keys.ts';

/** A new list for a campaign that has one. */
export interface ReplacingList extends RecipientList {
  /** Whether the update leaves the place and the prompt values of a number alone, if the campaign knows it. `POST …/recipients` may have set them. */
  keepsDetails: (phoneNumber: string) => boolean;
}

interface ReplacedRecipients {
  added: number;
  /** Returned recipients that were called before, to replan after the campaign is updated (`replanRecipients`). */
  returnedIds: string[];
}

interface ListOwner extends CampaignKey {
  startAt: Date;
  now: Date;
}

/**
 * Replaces the list of a campaign with set-based statements. The caller has locked the campaign's row, so that no recipient is dialed
 * meanwhile. Live calls continue.
 *
 * Recipients that stay keep their state and history. Removed ones get `withdrawn_at`: a pending one becomes `withdrawn`, and others keep their
 * state until the call ends. Returned ones keep their used attempts.
 */
export async function replaceRecipients(
  tx: Tx,
  owner: ListOwner,
  list: ReplacingList,
): Promise<ReplacedRecipients> {
  // A million rows may take longer than the timeout.
  await sql`set local statement_timeout = 0`.execute(tx);
  // Statistics may lack rows that were just inserted, and a nested loop over a long list would take forever.
  await sql`set local enable_nestloop = off`.execute(tx);
  await stageList(tx, list);
  const positions = await decidePositions(tx, owner);
  await withdrawOthers(tx, owner);
  const returnedIds = await restoreWithdrawn(tx, owner, positions);
  await updateStaying(tx, owner, positions);
  const added = await addNew(tx, owner, positions);
  await sql`drop table wanted_recipients`.execute(tx);
  return { added, returnedIds };
}

async function stageList(tx: Tx, list: ReplacingList): Promise<void> {
  await sql`
    create temp table wanted_recipients (
      position integer not null, phone_number text not null, calling_key text not null, place jsonb, prompt_params jsonb,
      keeps_details boolean not null
    ) on commit drop`.execute(tx);
  for (const chunk of recipientChunks(list)) {
    await sql`
      insert into wanted_recipients
      select ${chunk.firstPosition}::integer + r.n - 1, r.phone_number, coalesce(r.key, ${list.timezone}), r.place, r.prompt_params,
        r.keeps_details
      from unnest(${chunk.phoneNumbers}::text[], ${chunk.keys}::text[], ${chunk.places}::jsonb[], ${chunk.promptParams}::jsonb[],
                  ${chunk.phoneNumbers.map(list.keepsDetails)}::boolean[])
           with ordinality as r (phone_number, key, place, prompt_params, keeps_details, n)`.execute(tx);
  }
  // Without statistics, the planner assumes that a temporary table is small.
  await sql`analyze wanted_recipients`.execute(tx);
}

interface Positions {
  stayingKeepPositions: boolean;
  /** Added to the positions of new and returned recipients. */
  shift: number;
}

/** Positions only define an order, so they may exceed the length of the list. */
const largestPosition = 1_000_000_000;

/**
 * If remaining recipients keep their order and new ones follow them, the remaining rows are not updated, so that a small change is cheap.
 * Otherwise all positions are updated.
 */
async function decidePositions(tx: Tx, owner: ListOwner): Promise<Positions> {
  const { rows } = await sql<{ in_order: boolean; last_position: number }>`
    with placed as (
      select w.position as wanted, r.position as present
      from wanted_recipients w
      left join campaign_recipients r
        on r.campaign_id = ${owner.campaignId} and r.phone_number = w.phone_number and r.withdrawn_at is null),
    compared as (
      select present, lag(present) over (order by wanted) as before,
             present is null as joins, lag(present is null) over (order by wanted) as joins_before
      from placed)
    select coalesce(bool_and(joins or (not coalesce(joins_before, false) and coalesce(before < present, true))), true) as in_order,
           coalesce(max(present), -1) as last_position
    from compared`.execute(tx);
  const row = rows[0];
  if (row === undefined || !row.in_order || row.last_position > largestPosition) {
    return { stayingKeepPositions: false, shift: 0 };
  }
  return { stayingKeepPositions: true, shift: row.last_position + 1 };
}

async function withdrawOthers(tx: Tx, owner: ListOwner): Promise<void> {
  await sql`
    with withdrawn as (
    update campaign_recipients r
    set withdrawn_at = ${owner.now}::timestamptz,
        state = case r.state when 'pending' then 'withdrawn' else r.state end
    where r.organization_id = ${owner.organizationId} and r.campaign_id = ${owner.campaignId} and r.withdrawn_at is null
      and not exists (select from wanted_recipients w where w.phone_number = r.phone_number)
    returning r.*),
    events as (${recipientsFinished(sql`withdrawn where state = 'withdrawn'`, { reason: 'withdrawn', now: owner.now })})
    select count(*) from withdrawn`.execute(tx);
}

/** A value of a known recipient `r` after the update by `w`. */
function detail(column: 'calling_key' | 'place' | 'prompt_params'): RawBuilder<unknown> {
  return sql`case when w.keeps_details then ${sql.ref(`r.${column}`)} else ${sql.ref(`w.${column}`)} end`;
}

async function restoreWithdrawn(tx: Tx, owner: ListOwner, positions: Positions): Promise<string[]> {
  const { rows } = await sql<{ ids: string[] | null }>`
    with wanted_back as (
      select r.id, w.position + ${positions.shift}::integer as position, ${detail('calling_key')} as calling_key,
        ${detail('place')} as place, ${detail('prompt_params')} as prompt_params, ${stateOnReturn} as state
      from campaign_recipients r
      join wanted_recipients w on w.phone_number = r.phone_number
      where r.organization_id = ${owner.organizationId} and r.campaign_id = ${owner.campaignId}
        and r.withdrawn_at is not null),
    returned as (${returnRecipients('wanted_back', owner)})
    select array_agg(id) filter (where state = 'pending' and attempts > 0) as ids from returned`.execute(tx);
  return rows[0]?.ids ?? [];
}

async function updateStaying(tx: Tx, owner: ListOwner, positions: Positions): Promise<void> {
  const position = positions.stayingKeepPositions ? sql`r.position` : sql`w.position`;
  const moved = positions.stayingKeepPositions ? sql`false` : sql`r.position <> w.position`;
  await sql`
    update campaign_recipients r
    set position = ${position}, calling_key = ${detail('calling_key')}, place = ${detail('place')},
        prompt_params = ${detail('prompt_params')}
    from wanted_recipients w
    where r.organization_id = ${owner.organizationId} and r.campaign_id = ${owner.campaignId}
      and w.phone_number = r.phone_number
      and (${moved} or not w.keeps_details and (r.calling_key <> w.calling_key
        or r.place is distinct from w.place or r.prompt_params is distinct from w.prompt_params))`.execute(
    tx,
  );
}

async function addNew(tx: Tx, owner: ListOwner, positions: Positions): Promise<number> {
  const result = await sql`
    insert into campaign_recipients
      (organization_id, campaign_id, position, phone_number, calling_key, place, prompt_params, next_attempt_at)
    select ${owner.organizationId}::uuid, ${owner.campaignId}::uuid, w.position + ${positions.shift}::integer, w.phone_number, w.calling_key,
           w.place, w.prompt_params, ${owner.startAt}::timestamptz
    from wanted_recipients w
    where not exists (
      select from campaign_recipients r where r.campaign_id = ${owner.campaignId} and r.phone_number = w.phone_number)
    order by w.position`.execute(tx);
  return Number(result.numAffectedRows ?? 0);
}
