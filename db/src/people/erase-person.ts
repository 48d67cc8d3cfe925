import { ConflictError } from '@outdial/core';
import { sql } from 'kysely';
import { noteChange } from '../audit/audit-scope.ts';
import { eraseConsents, eraseRevocations } from '../compliance/consents.ts';
import { eraseNumberChanges } from '../compliance/number-changes.ts';
import { lockCampaign } from '../campaigns/campaign-lifecycle.ts';
import { recipientsFinished } from '../outbox/write-outbox.ts';
import type { Tx } from '../transaction.ts';
import type { PersonKey } from '../keys.ts';
import { scheduleRecordingDeletions } from '../recordings/recording-deletions.ts';

export interface ErasureCounts {
  calls: number;
  recipients: number;
  suppressions: number;
  /** Consents that prove calls of the last five years are kept. */
  consents?: { erased: number; kept: number };
  /** Recordings that a sweep will delete. */
  recordings: number;
}

/**
 * Erases an organization's data about a phone number. Rows of calls and recipients stay without personal data, so that counts do not change.
 * Recipients are withdrawn, and a sweep deletes recordings. Returns the id of the erasure.
 * @throws ConflictError `call_in_progress`, since data of that call would come after the erasure. The transaction must not be committed.
 */
export async function erasePerson(
  tx: Tx,
  args: PersonKey & {
    /** Whether the number stays on the suppression list. */
    keepSuppressed: boolean;
    /** Whether nothing stays of the person's request for no calls. Otherwise a keyed hash of the number does. */
    forgetsOptOut: boolean;
    requestedBy: string | null;
    now: Date;
  },
): Promise<string> {
  const { organizationId, phoneNumber, now } = args;
  const person = { organizationId, phoneNumber };
  // Lists and events of a large organization may take longer than the timeout.
  await sql`set local statement_timeout = 0`.execute(tx);
  // So that no campaign calls the person meanwhile.
  for (const campaignId of await campaignsOf(tx, person)) {
    await lockCampaign(tx, { organizationId, campaignId });
  }
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
  // Lists take long to search, and reports wait for locked calls, so the calls come later. The suppression comes first: its event is searched for too.
  const suppressions = args.keepSuppressed ? 0 : await eraseSuppression(tx, person, args);
  await eraseFromLists(tx, person);
  const recordings = await scheduleRecordings(tx, { ...person, erasureId: id });
  const counts: ErasureCounts = {
    calls: await eraseCalls(tx, person),
    recipients: await eraseRecipients(tx, person, now),
    suppressions,
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
  return id;
}

async function campaignsOf(tx: Tx, { organizationId, phoneNumber }: PersonKey): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select c.id from campaigns c
    where c.organization_id = ${organizationId}
      and exists (select from campaign_recipients r where r.campaign_id = c.id and r.phone_number = ${phoneNumber})
    order by c.id`.execute(tx);
  return rows.map((row) => row.id);
}

/** Judges the rows that were erased, and not what was read before: direct and inbound calls do not wait for this transaction. */
function erasedCount(row: { erased: number; is_in_call: boolean } | undefined): number {
  if (row?.is_in_call !== true) return row?.erased ?? 0;
  throw new ConflictError(
    'call_in_progress',
    'A call to this person is in progress or about to begin: hang up, or try again later',
  );
}

/** Those too that retention has scheduled, or that were given up. */
async function scheduleRecordings(
  tx: Tx,
  { organizationId, phoneNumber, erasureId }: PersonKey & { erasureId: string },
): Promise<number> {
  // Locks the calls until they are erased: a recording may be reported meanwhile.
  const calls = sql`(with known as materialized (
    select c.id, c.organization_id, c.provider, c.conversation_id, coalesce(c.recording_url, d.recording_url) as recording_url,
      c.attempt, c.gated_at, c.created_at
    from calls c left join recording_deletions d on d.call_id = c.id
    where c.organization_id = ${organizationId} and c.phone_number = ${phoneNumber}
    order by c.id for no key update of c) select * from known)`;
  const result = await scheduleRecordingDeletions(calls, erasureId).execute(tx);
  return Number(result.numAffectedRows ?? 0n);
}

async function eraseCalls(tx: Tx, { organizationId, phoneNumber }: PersonKey): Promise<number> {
  const { rows } = await sql<{ erased: number; is_in_call: boolean }>`
    with erased as (
      update calls set phone_number = '', transcript = null, recording_url = null, prompt_params = null, meta = null,
        call_extract = null, conversation_id = null, events = '[]', notes = null, comments = null, tag_ids = '{}'
      where organization_id = ${organizationId} and phone_number = ${phoneNumber} returning id, phase),
    -- Uses of caller ids still count. The release before wrote the number there too.
    used as (
      update caller_id_uses u set phone_number = '' from erased where u.call_id = erased.id and u.phone_number <> '')
    select count(*)::int as erased, coalesce(bool_or(phase <> 'ended'), false) as is_in_call from erased`.execute(
    tx,
  );
  return erasedCount(rows[0]);
}

/**
 * Withdraws the recipients with an instant before the end of their campaign, so that they are on no list and no further round includes them.
 * Waiting ones get the usual event, without the number.
 */
async function eraseRecipients(
  tx: Tx,
  { organizationId, phoneNumber }: PersonKey,
  now: Date,
): Promise<number> {
  const { rows } = await sql<{ erased: number; is_in_call: boolean }>`
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
    events as (${recipientsFinished(sql`known where state = 'pending'`, { reason: 'withdrawn', now })})
    select (select count(*)::int from erased) as erased, coalesce(bool_or(state = 'dialing'), false) as is_in_call from known`.execute(
    tx,
  );
  return erasedCount(rows[0]);
}

async function eraseSuppression(
  tx: Tx,
  { organizationId, phoneNumber }: PersonKey,
  { forgetsOptOut, now }: { forgetsOptOut: boolean; now: Date },
): Promise<number> {
  const hash = sql`erased_number_hash(${organizationId}::uuid, ${phoneNumber})`;
  if (forgetsOptOut) {
    await sql`
      delete from erased_suppressions where organization_id = ${organizationId} and number_hash = ${hash}`.execute(
      tx,
    );
  }
  // One statement, so that it keeps what it deletes: a request may be committed meanwhile.
  const { rows } = await sql<{ erased: number }>`
    with gone as (
      delete from suppressions where organization_id = ${organizationId} and phone_number = ${phoneNumber}
      returning organization_id, expires_at),
    kept as (
      insert into erased_suppressions as e (organization_id, number_hash, created_at, expires_at)
      select organization_id, ${hash}, ${now}, expires_at from gone
      where not ${forgetsOptOut}::boolean and (expires_at is null or expires_at > ${now})
      on conflict (organization_id, number_hash) do update
      set expires_at = case when e.expires_at is not null and excluded.expires_at is not null
        then greatest(e.expires_at, excluded.expires_at) end)
    select count(*)::int as erased from gone`.execute(tx);
  return rows[0]?.erased ?? 0;
}

/** Erases the number from parameters of campaigns, stored answers and events. */
async function eraseFromLists(tx: Tx, { organizationId, phoneNumber }: PersonKey): Promise<void> {
  await sql`
    update campaigns
    set recipient_params = convert_to((convert_from(recipient_params, 'UTF8')::jsonb - ${phoneNumber}::text)::text, 'UTF8'),
        list_revision = list_revision + 1
    where organization_id = ${organizationId} and recipient_params is not null
      and position(convert_to(${phoneNumber}, 'UTF8') in recipient_params) > 0`.execute(tx);
  await sql`
    delete from idempotency_keys
    where organization_id = ${organizationId} and position(${phoneNumber} in response::text) > 0`.execute(tx);
  await sql`
    update outbox set data = '{}'
    where organization_id = ${organizationId} and type = 'suppression.added' and data ->> 'phone_number' = ${phoneNumber}`.execute(
    tx,
  );
}
