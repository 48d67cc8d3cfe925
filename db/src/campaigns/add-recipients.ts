import type { CallingPolicy } from '@outdial/core';
import { sql } from 'kysely';
import type { Tx } from '../transaction.ts';
import { bumpRevision } from './campaign-lifecycle.ts';
import type { RecipientDetails } from './recipient-details.ts';
import { placeJson, recipientKey } from './recipient-keys.ts';
import { returnRecipients, stateOnReturn } from './return-recipients.ts';

export interface NewRecipients {
  organizationId: string;
  campaignId: string;
  /** The campaign's zone, for recipients without their own. */
  timezone: string;
  callingPolicy: CallingPolicy;
  /** The campaign's current calling keys. */
  callingKeys: readonly string[];
  startAt: Date;
  now: Date;
  /** By number. */
  recipients: ReadonlyMap<string, RecipientDetails>;
}

export interface AddedToCampaign {
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
  const zones = [...new Set([...args.callingKeys, ...keys])].toSorted();
  if (zones.length === args.callingKeys.length) return;
  await tx.updateTable('campaigns').set({ calling_keys: zones }).where('id', '=', args.campaignId).execute();
  await bumpRevision(tx, args.campaignId, args.now);
}
