import { sql, type RawBuilder } from 'kysely';
import { scheduleRecordingDeletions } from '../recordings/recording-deletions.ts';
import type { RetentionProgressTable } from '../schema/lifecycle.ts';
import { type Db, inTransaction, type Tx } from '../transaction.ts';

export type RetentionKind = RetentionProgressTable['kind'];

export interface RetentionBatch {
  kind: RetentionKind;
  organizationId: string;
  done: number;
  hasMore: boolean;
}

/** Expired data waits at most this long, so that each organization is checked once an hour. */
const everyMinutes = 60;

/**
 * Deletes a batch of expired data of the organization that has waited longest. Null if nothing has expired. Scans calls in order of creation and
 * stores its position, so that each row is read once.
 */
export async function enforceRetention(db: Db, { limit }: { limit: number }): Promise<RetentionBatch | null> {
  return inTransaction(db, async (tx) => {
    await saveStarts(tx);
    const due = await takeDue(tx);
    if (due === null) return null;
    const bound = await boundOf(tx, due, limit);
    const old = sql`c.organization_id = ${due.organization_id} and c.created_at > ${due.done_until}::timestamptz
      and c.created_at <= ${bound}::timestamptz and c.phase = 'ended'`;
    const ofCalls = await apply(tx, due.kind, { organizationId: due.organization_id, old });
    const ofCampaigns = due.kind === 'prompt_values' ? await deleteValuesOfCampaign(tx, due) : 0;
    // Each batch handles one campaign. The position only advances when no campaign is left.
    if (ofCampaigns === 0) {
      await sql`
        update retention_progress set done_until = ${bound}::timestamptz
        where organization_id = ${due.organization_id} and kind = ${due.kind}`.execute(tx);
    }
    const done = ofCalls + ofCampaigns;
    return {
      kind: due.kind,
      organizationId: due.organization_id,
      done,
      hasMore: done > 0 || bound !== due.done_until,
    };
  });
}

/** Instants are text, because a `Date` has no microseconds, so that rows would be skipped. */
interface Due {
  organization_id: string;
  kind: RetentionKind;
  done_until: string;
  cutoff: string;
}

const kinds = sql`
  lateral (values ('transcripts', o.keep_transcripts_days), ('recordings', o.keep_recordings_days),
                  ('prompt_values', o.keep_prompt_values_days), ('calls', o.keep_calls_days)) k (kind, days)`;

async function saveStarts(tx: Tx): Promise<void> {
  await sql`
    insert into retention_progress (organization_id, kind, done_until)
    select o.id, k.kind, o.created_at - interval '1 day' from organizations o cross join ${kinds}
    where k.days is not null
      and not exists (select from retention_progress p where p.organization_id = o.id and p.kind = k.kind)
    on conflict do nothing`.execute(tx);
}

async function takeDue(tx: Tx): Promise<Due | null> {
  const { rows } = await sql<Due>`
    select p.organization_id, p.kind, p.done_until::text as done_until,
      (engine_now() - k.days * interval '1 day')::text as cutoff
    from organizations o cross join ${kinds}
    join retention_progress p on p.organization_id = o.id and p.kind = k.kind
    where k.days is not null
      and p.done_until < (select engine_now()) - k.days * interval '1 day' - ${everyMinutes} * interval '1 minute'
    order by p.done_until limit 1 for update of p skip locked`.execute(tx);
  return rows[0] ?? null;
}

/** The last instant of this batch: the creation of the `limit`th call, or the cutoff if fewer calls are left. Always before the first call in progress. */
async function boundOf(
  tx: Tx,
  { organization_id: organizationId, done_until: from, cutoff }: Due,
  limit: number,
): Promise<string> {
  const { rows } = await sql<{ bound: string }>`
    select greatest(${from}::timestamptz, least(
      coalesce((select created_at from calls
                where organization_id = ${organizationId} and created_at > ${from}::timestamptz
                  and created_at <= ${cutoff}::timestamptz
                order by created_at offset ${limit - 1} limit 1), ${cutoff}::timestamptz),
      (select min(created_at) - interval '1 microsecond' from calls
       where organization_id = ${organizationId}
         and phase in ('queued', 'placing', 'ringing', 'answered'))))::text as bound`.execute(tx);
  return rows[0]?.bound ?? cutoff;
}

async function apply(
  tx: Tx,
  kind: RetentionKind,
  { organizationId, old }: { organizationId: string; old: RawBuilder<unknown> },
): Promise<number> {
  switch (kind) {
    case 'transcripts':
      return changed(
        tx,
        sql`update calls c set transcript = null, call_extract = null
            where ${old} and (transcript is not null or call_extract is not null)`,
      );
    case 'recordings':
      return changed(
        tx,
        sql`
        with kept as materialized (
          select c.* from calls c where ${old} and recording_url is not null order by c.id for no key update),
        gone as (update calls c set recording_url = null from kept where c.id = kept.id)
        ${scheduleRecordingDeletions(sql`kept`)}`,
      );
    case 'prompt_values':
      return changed(
        tx,
        sql`update calls c set prompt_params = null where ${old} and prompt_params is not null`,
      );
    case 'calls':
      // Recipients of deleted campaigns are erased when no call refers to them.
      await sql`
        update campaigns set erased_at = null
        where organization_id = ${organizationId} and erased_at is not null
          and id in (select campaign_id from calls c where ${old})`.execute(tx);
      return changed(
        tx,
        sql`
        with gone as (
          delete from calls c where ${old} returning c.*),
        recordings as (${scheduleRecordingDeletions(sql`gone`)}),
        counted as (
          insert into usage_of_deleted_calls as u (organization_id, hour, campaign_id, agent_id, outcome, calls, seconds, cost)
          select ${organizationId}, date_trunc('hour', created_at), campaign_id, agent_id, outcome, count(*),
            coalesce(sum(duration_seconds), 0), sum(cost)
          from gone group by 2, 3, 4, 5 order by 2, 3, 4, 5
          on conflict (organization_id, hour, campaign_id, agent_id, outcome) do update
            set calls = u.calls + excluded.calls, seconds = u.seconds + excluded.seconds, cost = u.cost + excluded.cost)
        select from gone`,
      );
  }
}

/** Deletes the prompt values of one campaign whose retention has expired; of a large campaign, a batch of recipients at a time. */
async function deleteValuesOfCampaign(
  tx: Tx,
  { organization_id: organizationId, cutoff }: Due,
): Promise<number> {
  const recipientsAtMost = 10_000;
  const { rows } = await sql<{ id: string }>`
    select id from campaigns
    where organization_id = ${organizationId} and values_deleted_at is null
      and (status in ('finished', 'canceled') and ended_at <= ${cutoff}::timestamptz or deleted_at <= ${cutoff}::timestamptz)
    order by ended_at limit 1 for no key update skip locked`.execute(tx);
  const [campaign] = rows;
  if (campaign === undefined) return 0;
  const done = await changed(
    tx,
    sql`
    update campaign_recipients r set prompt_params = null
    where (r.organization_id, r.campaign_id, r.id) in (
      select organization_id, campaign_id, id from campaign_recipients
      where organization_id = ${organizationId} and campaign_id = ${campaign.id} and prompt_params is not null
      limit ${recipientsAtMost})`,
  );
  if (done < recipientsAtMost) {
    await sql`
      update campaigns set values_deleted_at = engine_now(), prompt_params = '{}', recipient_params = null,
        additional_params = additional_params - 'prompt_params', list_revision = list_revision + 1
      where id = ${campaign.id}`.execute(tx);
  }
  return done + 1;
}

async function changed(tx: Tx, statement: RawBuilder<unknown>): Promise<number> {
  const result = await statement.execute(tx);
  return Number(result.numAffectedRows ?? result.rows.length);
}
