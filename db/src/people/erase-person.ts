import { sql } from 'kysely';
import { noteChange } from '../audit/audit-scope.ts';
import { eraseConsents, eraseRevocations } from '../compliance/consents.ts';
import { eraseNumberChanges } from '../compliance/number-changes.ts';
import { lockCampaign } from '../campaigns/campaign-lifecycle.ts';
import { recipientsFinished } from '../outbox/event-rows.ts';
import type { Tx } from '../transaction.ts';

export interface ErasureCounts {
  calls: number;
  recipients: number;
  suppressions: number;
  /** Consents that prove calls of the last five years are kept. */
  consents?: { erased: number; kept: number };
  /** Recordings that a sweep will delete. */
  recordings: number;
}

export type ErasePersonResult =
  | { kind: 'erased'; erasureId: string }
  /** A call is in progress or about to start, whose data would come after the erasure. */
  | { kind: 'in_call' };

/**
 * Erases an organization's data about a phone number. Rows of calls and recipients stay without personal data, so that counts do not change.
 * Recipients are withdrawn, and a sweep deletes recordings.
 */
export async function erasePerson(
  tx: Tx,
  args: {
    organizationId: string;
    phoneNumber: string;
    /** Whether the number stays on the suppression list. */
    keepSuppressed: boolean;
    /** Whether nothing stays of the person's request for no calls. Otherwise a keyed hash of the number does. */
    forgetsOptOut: boolean;
    requestedBy: string | null;
    now: Date;
  },
): Promise<ErasePersonResult> {
  const { organizationId, phoneNumber, now } = args;
  const person = { organizationId, phoneNumber };
  // Lists and events of a large organization may take longer than the timeout.
  await sql`set local statement_timeout = 0`.execute(tx);
  // So that no call to the person starts meanwhile.
  for (const campaignId of await campaignsOf(tx, person)) {
    await lockCampaign(tx, { organizationId, campaignId });
  }
  if (await isInCall(tx, person)) return { kind: 'in_call' };
  const { id } = await tx
    .insertInto('erasures')
    .values({
      organization_id: organizationId,
      requested_by: args.requestedBy,
      created_at: now,
      counts: '{}',
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const recordings = await scheduleRecordings(tx, { ...person, erasureId: id, now });
  const counts: ErasureCounts = {
    calls: await eraseCalls(tx, person),
    recipients: await eraseRecipients(tx, person, now),
    suppressions: args.keepSuppressed ? 0 : await eraseSuppression(tx, person, args),
    consents: await eraseConsents(tx, person),
    recordings,
  };
  await eraseNumberChanges(tx, person);
  await eraseRevocations(tx, person);
  await sql`
    delete from number_queries where organization_id = ${organizationId} and phone_number = ${phoneNumber}`.execute(
    tx,
  );
  await tx
    .deleteFrom('person_numbers')
    .where('organization_id', '=', organizationId)
    .where('phone_number', '=', phoneNumber)
    .execute();
  await eraseFromLists(tx, person);
  // Uses of caller ids still count.
  await tx
    .updateTable('caller_id_uses')
    .set({ phone_number: '' })
    .where('organization_id', '=', organizationId)
    .where('phone_number', '=', phoneNumber)
    .execute();
  await tx
    .deleteFrom('called_people')
    .where('organization_id', '=', organizationId)
    .where('phone_number', '=', phoneNumber)
    .execute();
  await tx
    .updateTable('erasures')
    .set({ counts: JSON.stringify(counts) })
    .where('id', '=', id)
    .execute();
  noteChange({ type: 'erasure', id, after: { ...counts } });
  return { kind: 'erased', erasureId: id };
}

interface Person {
  organizationId: string;
  phoneNumber: string;
}

async function campaignsOf(tx: Tx, { organizationId, phoneNumber }: Person): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select c.id from campaigns c
    where c.organization_id = ${organizationId}
      and exists (select from campaign_recipients r where r.campaign_id = c.id and r.phone_number = ${phoneNumber})
    order by c.id`.execute(tx);
  return rows.map((row) => row.id);
}

async function isInCall(tx: Tx, { organizationId, phoneNumber }: Person): Promise<boolean> {
  const { rows } = await sql<{ busy: boolean }>`
    select exists (select from calls where organization_id = ${organizationId} and phone_number = ${phoneNumber}
                     and phase <> 'ended')
        or exists (select from campaigns c join campaign_recipients r on r.campaign_id = c.id
                   where c.organization_id = ${organizationId} and r.phone_number = ${phoneNumber}
                     and r.state = 'dialing') as busy`.execute(tx);
  return rows[0]?.busy ?? false;
}

async function scheduleRecordings(tx: Tx, args: Person & { erasureId: string; now: Date }): Promise<number> {
  const result = await sql`
    insert into recording_deletions (call_id, organization_id, erasure_id, provider, conversation_id, recording_url, attempt,
      gated_at, next_try_at, created_at)
    select id, organization_id, ${args.erasureId}, provider, conversation_id, recording_url, attempt,
      coalesce(gated_at, created_at), ${args.now}, ${args.now}
    from calls
    where organization_id = ${args.organizationId} and phone_number = ${args.phoneNumber} and recording_url is not null
    on conflict (call_id) do update set erasure_id = excluded.erasure_id`.execute(tx);
  return Number(result.numAffectedRows ?? 0n);
}

async function eraseCalls(tx: Tx, { organizationId, phoneNumber }: Person): Promise<number> {
  const result = await sql`
    update calls set phone_number = '', transcript = null, recording_url = null, prompt_params = null, meta = null,
      call_extract = null, conversation_id = null, events = '[]', notes = null, comments = null, tag_ids = '{}'
    where organization_id = ${organizationId} and phone_number = ${phoneNumber}`.execute(tx);
  return Number(result.numAffectedRows ?? 0n);
}

/**
 * Withdraws the recipients with an instant before the end of their campaign, so that they are on no list and no further round includes them.
 * Waiting ones get the usual event, without the number.
 */
async function eraseRecipients(tx: Tx, { organizationId, phoneNumber }: Person, now: Date): Promise<number> {
  const { rows } = await sql<{ erased: number }>`
    with known as materialized (
      select r.organization_id, r.campaign_id, r.id, r.state, r.last_outcome, r.attempts, r.round, c.ended_at
      from campaigns c join campaign_recipients r on r.organization_id = c.organization_id and r.campaign_id = c.id
      where c.organization_id = ${organizationId} and r.phone_number = ${phoneNumber}
      order by r.campaign_id, r.id for no key update of r),
    erased as (
      update campaign_recipients r
      set phone_number = 'erased:' || r.id, prompt_params = null, place = null,
          withdrawn_at = least(coalesce(r.withdrawn_at, ${now}), known.ended_at - interval '1 microsecond'),
          state = case when r.state = 'pending' then 'withdrawn' else r.state end,
          next_attempt_at = null
      from known
      where r.organization_id = known.organization_id and r.campaign_id = known.campaign_id and r.id = known.id
      returning r.id),
    -- The campaigns were locked above.
    revised as (
      update campaigns c set recipients_revision = recipients_revision + 1
      from (select distinct campaign_id from known) k where c.id = k.campaign_id),
    forgotten as (delete from failing_recipients f using known where f.recipient_id = known.id),
    -- Keeps the refusals, but not the times of calls.
    counted as (update gate_refusals f set last_person_check = null from known where f.recipient_id = known.id),
    told as (${recipientsFinished(sql`known where state = 'pending'`, { reason: 'withdrawn', now })})
    select count(*)::int as erased from erased`.execute(tx);
  return rows[0]?.erased ?? 0;
}

async function eraseSuppression(
  tx: Tx,
  { organizationId, phoneNumber }: Person,
  { forgetsOptOut, now }: { forgetsOptOut: boolean; now: Date },
): Promise<number> {
  const hash = sql`erased_number_hash(${organizationId}::uuid, ${phoneNumber})`;
  if (forgetsOptOut) {
    await sql`
      delete from erased_suppressions where organization_id = ${organizationId} and number_hash = ${hash}`.execute(
      tx,
    );
  } else {
    await sql`
      insert into erased_suppressions as e (organization_id, number_hash, created_at, expires_at)
      select organization_id, ${hash}, ${now}, expires_at from suppressions
      where organization_id = ${organizationId} and phone_number = ${phoneNumber}
        and (expires_at is null or expires_at > ${now})
      on conflict (organization_id, number_hash) do update set expires_at = excluded.expires_at`.execute(tx);
  }
  const result = await tx
    .deleteFrom('suppressions')
    .where('organization_id', '=', organizationId)
    .where('phone_number', '=', phoneNumber)
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}

/** Erases the number from parameters of campaigns, stored answers and events. */
async function eraseFromLists(tx: Tx, { organizationId, phoneNumber }: Person): Promise<void> {
  await sql`
    update campaigns
    set recipient_params = convert_to((convert_from(recipient_params, 'UTF8')::jsonb - ${phoneNumber}::text)::text, 'UTF8'),
        list_revision = list_revision + 1
    where organization_id = ${organizationId} and recipient_params is not null
      and position(convert_to(${phoneNumber}, 'UTF8') in recipient_params) > 0`.execute(tx);
  await sql`
    delete from idempotency_keys
    where organization_id = ${organizationId}
      -- Earlier releases stored keys as they were sent.
      and (position(${phoneNumber} in response::text) > 0 or position(${phoneNumber.slice(1)} in key) > 0)`.execute(
    tx,
  );
  await sql`
    delete from outbox
    where organization_id = ${organizationId} and type = 'suppression.added' and data ->> 'phone_number' = ${phoneNumber}`.execute(
    tx,
  );
}
