import type { CallingPolicy, Outcome } from '@outdial/core';
import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../transaction.ts';
import { bumpRevision } from './campaign-lifecycle.ts';
import { withdrawChunk } from './wake.ts';
import { placeJson, type RecipientDetails, recipientKey, requireFewKeys } from './recipient-list.ts';
import { recipientsFinished } from '../outbox/write-outbox.ts';
import type { RecipientState } from '../schema/campaigns.ts';
import type { CampaignKey } from '../keys.ts';

interface NewRecipients extends CampaignKey {
  /** The campaign's zone, for recipients without their own. */
  timezone: string;
  callingPolicy: CallingPolicy;
  /** The campaign's current calling keys. */
  callingKeys: readonly string[];
  startAt: Date;
  now: Date;
  recipients: ReadonlyMap<string, RecipientDetails>;
}

interface AddedToCampaign {
  /** New recipients and returned ones. */
  count: number;
  /** Returned recipients that were called before, to replan (`replanRecipients`). */
  returnedIds: string[];
}

/** Appends recipients to a campaign whose row is locked. Withdrawn recipients return to the list; those on the list do not change. */
export async function addRecipients(tx: Tx, args: NewRecipients): Promise<AddedToCampaign> {
  const entries = [...args.recipients];
  const phoneNumbers = entries.map(([phoneNumber]) => phoneNumber);
  const keys = entries.map(
    ([phoneNumber, own]) => recipientKey(args.callingPolicy, phoneNumber, own) ?? args.timezone,
  );
  const places = entries.map(([, own]) => placeJson(own));
  const promptParams = entries.map(([, own]) =>
    own.promptParams === null ? null : JSON.stringify(own.promptParams),
  );
  const { rows } = await sql<{ count: number; returned_ids: string[] | null }>`
    with given as materialized (
      select g.*, last.position + g.n::integer as position
      from unnest(${phoneNumbers}::text[], ${keys}::text[], ${places}::jsonb[], ${promptParams}::jsonb[])
        with ordinality as g (phone_number, calling_key, place, prompt_params, n)
      cross join (
        -- The maximum of the newest ones suffices, because positions only define an order. An exact one would read them all.
        select coalesce(max(position), -1) as position from (
          select position from campaign_recipients
          where organization_id = ${args.organizationId} and campaign_id = ${args.campaignId}
          order by id desc limit 1000) newest) last),
    present as materialized (
      select r.id, g.position, g.calling_key, g.place, g.prompt_params, ${stateOnReturn} as state
      from given g cross join lateral (
        select * from campaign_recipients where campaign_id = ${args.campaignId} and phone_number = g.phone_number) r
      where r.withdrawn_at is not null),
    returned as (${returnRecipients('present', args)}),
    added as (
      insert into campaign_recipients
        (organization_id, campaign_id, position, phone_number, calling_key, place, prompt_params, next_attempt_at)
      select ${args.organizationId}::uuid, ${args.campaignId}::uuid, g.position, g.phone_number, g.calling_key, g.place, g.prompt_params,
             ${args.startAt}::timestamptz
      from given g order by g.n
      on conflict (campaign_id, phone_number) do nothing
      returning id),
    revised as (
      update campaigns set recipients_revision = recipients_revision + 1
      where id = ${args.campaignId}::uuid and (exists (select from returned) or exists (select from added)))
    select (select count(*) from returned)::int + (select count(*) from added)::int as count,
      (select array_agg(id) filter (where state = 'pending' and attempts > 0) from returned) as returned_ids`.execute(
    tx,
  );
  await addCallingKeys(tx, args, keys);
  const [row] = rows;
  return { count: row?.count ?? 0, returnedIds: row?.returned_ids ?? [] };
}

/** Existing decisions do not include new calling keys, so the revision changes. */
async function addCallingKeys(tx: Tx, args: NewRecipients, keys: readonly string[]): Promise<void> {
  const all = new Set([...args.callingKeys, ...keys]);
  if (all.size === args.callingKeys.length) return;
  requireFewKeys(all);
  const zones = [...all].toSorted();
  await tx.updateTable('campaigns').set({ calling_keys: zones }).where('id', '=', args.campaignId).execute();
  await bumpRevision(tx, args.campaignId, args.now);
}

/** The state of a withdrawn recipient `r` when it returns to the list. The gate checks suppressions again. */
export const stateOnReturn: RawBuilder<unknown> = sql`
  case when r.state in ('withdrawn', 'suppressed') then 'pending' else r.state end`;

/**
 * Returns withdrawn recipients to the list of their campaign. Recipients with attempts have to be planned afterwards (`replanRecipients`).
 * @param back a table of their ids with the new state, position, calling key, place and prompt values
 */
export function returnRecipients(
  back: string,
  change: CampaignKey & { startAt: Date; now: Date },
): RawBuilder<unknown> {
  return sql`
    update campaign_recipients r
    set withdrawn_at = null, state = back.state, finish_reason = case back.state when 'pending' then null else r.finish_reason end,
        position = back.position, calling_key = back.calling_key, place = back.place, prompt_params = back.prompt_params,
        call_id = case back.state when 'pending' then null else r.call_id end,
        next_attempt_at = case
          when back.state <> 'pending' then r.next_attempt_at
          when r.attempts = 0 then ${change.startAt}::timestamptz
          else greatest(${change.now}::timestamptz, r.next_attempt_at) end
    from ${sql.table(back)} back
    where r.organization_id = ${change.organizationId} and r.campaign_id = ${change.campaignId} and r.id = back.id
    returning r.id, r.state, r.attempts`;
}

/**
 * Gives another round to recipients whose last outcome is one of `outcomes` and who are finished, or were withdrawn when the campaign ended;
 * returns how many. The campaign's row is locked. Recipients that were removed from the list stay removed. Those that the end has not withdrawn yet
 * are withdrawn first.
 */
export async function retryRecipients(
  tx: Tx,
  args: CampaignKey & { outcomes: readonly Outcome[]; startAt: Date; endedAt: Date | null; now: Date },
): Promise<number> {
  // A million rows may take longer than the timeout.
  await sql`set local statement_timeout = 0`.execute(tx);
  if (args.endedAt !== null) await withdrawChunk(tx, { ...args, limit: null });
  const result = await sql`
    update campaign_recipients r
    set state = 'pending', withdrawn_at = null, call_id = null, round = r.round + 1, round_attempts = 0,
        requested_round = r.round + 1, finish_reason = null,
        next_attempt_at = greatest(${args.now}::timestamptz, ${args.startAt}::timestamptz)
    where r.organization_id = ${args.organizationId} and r.campaign_id = ${args.campaignId}
      and coalesce(r.last_outcome, '') = any(${args.outcomes}::text[]) and (
        (r.state = 'done' and r.withdrawn_at is null)
        or (r.state = 'withdrawn' and r.withdrawn_at >= ${args.endedAt}::timestamptz))`.execute(tx);
  return Number(result.numAffectedRows ?? 0n);
}

/** Clears the end of a campaign whose row is locked. Recipients that were withdrawn at the end leave the list, unless they have another round. */
export async function reopenCampaign(tx: Tx, campaignId: string): Promise<void> {
  await tx
    .updateTable('campaigns')
    .set({ ended_at: null, values_deleted_at: null, recipients_revision: sql`recipients_revision + 1` })
    .where('id', '=', campaignId)
    .execute();
}

/**
 * Withdraws one recipient of a campaign whose row is locked, unless it is finished; a call in progress continues. If the campaign has ended, the
 * instant is before its end, so that no further round includes the recipient. Returns the state before, or null if the recipient does not exist.
 */
export async function withdrawRecipient(
  tx: Tx,
  args: CampaignKey & { recipientId: string; now: Date },
): Promise<RecipientState | null> {
  const { rows } = await sql<{ state: RecipientState }>`
    select state from campaign_recipients
    where organization_id = ${args.organizationId} and campaign_id = ${args.campaignId} and id = ${args.recipientId}
    for no key update`.execute(tx);
  const [row] = rows;
  if (row === undefined) return null;
  await sql`
    with withdrawn as (
      update campaign_recipients r
      set withdrawn_at = least(${args.now}::timestamptz, c.ended_at - interval '1 microsecond'),
          state = case r.state when 'pending' then 'withdrawn' else r.state end,
          next_attempt_at = case r.state when 'pending' then null else r.next_attempt_at end
      from campaigns c
      where r.organization_id = ${args.organizationId} and r.campaign_id = ${args.campaignId} and r.id = ${args.recipientId}
        and c.id = r.campaign_id and r.state in ('pending', 'dialing', 'withdrawn')
        and coalesce(r.withdrawn_at >= c.ended_at, r.withdrawn_at is null)
      returning r.*),
    revised as (
      update campaigns set recipients_revision = recipients_revision + 1
      where id = (select campaign_id from withdrawn)),
    events as (${recipientsFinished(sql`withdrawn where ${row.state}::text = 'pending'`, { reason: 'withdrawn', now: args.now })})
    select from withdrawn`.execute(tx);
  return row.state;
}
