import { abandonmentDays, voiceWithinMs, type Abandonment } from '@outdial/core';
import { sql } from 'kysely';
import type { Db, Executor } from '../transaction.ts';

/** Records once whether an answered call of a campaign was connected to a voice. A late connection counts as abandoned. */
export async function noteVoice(
  db: Executor,
  voice: { callId: string; kind: 'connected' | 'abandoned'; at: Date },
): Promise<void> {
  await sql`
    with inserted as (
      insert into call_voices (call_id, campaign_id, is_abandoned, at)
      select c.id, c.campaign_id,
        ${voice.kind === 'abandoned'} or coalesce(${voice.at} > c.answered_at + ${voiceWithinMs} * interval '1 millisecond', false),
        engine_now()
      from calls c where c.id = ${voice.callId} and c.campaign_id is not null
      on conflict do nothing returning campaign_id, is_abandoned, at)
    insert into campaign_voices as v (campaign_id, day, connected, abandoned)
    select campaign_id, (at at time zone 'UTC')::date, (not is_abandoned)::int, is_abandoned::int from inserted
    on conflict (campaign_id, day) do update
      set connected = v.connected + excluded.connected, abandoned = v.abandoned + excluded.abandoned`.execute(
    db,
  );
}

/** The answered calls of the last 30 days of each running campaign with reports of voices, or with an earlier verdict. */
export async function readAbandonment(
  db: Db,
): Promise<Array<{ campaignId: string; connected: number; abandoned: number; before: Abandonment | null }>> {
  const { rows } = await sql<{
    campaign_id: string;
    connected: number;
    abandoned: number;
    before: Abandonment | null;
  }>`
    select c.id as campaign_id, rt.abandonment as before, coalesce(sum(v.connected), 0)::int as connected,
      coalesce(sum(v.abandoned), 0)::int as abandoned
    from campaigns c join campaign_runtime rt on rt.campaign_id = c.id
    left join campaign_voices v on v.campaign_id = c.id
      and v.day > ((select engine_now()) at time zone 'UTC')::date - ${abandonmentDays}::int
    where c.status = 'running' and c.deleted_at is null and (v.campaign_id is not null or rt.abandonment is not null)
    group by c.id, rt.abandonment`.execute(db);
  return rows.map(({ campaign_id: campaignId, ...counts }) => ({ campaignId, ...counts }));
}

/** Saves the verdict on a campaign and wakes it. */
export async function saveAbandonment(
  db: Db,
  { campaignId, abandonment }: { campaignId: string; abandonment: Abandonment | null },
): Promise<void> {
  await sql`
    update campaign_runtime set abandonment = ${abandonment === null ? null : JSON.stringify(abandonment)}::jsonb,
      -- A campaign that has stopped meanwhile is not woken, because its wake-up would never be cleared.
      wake_at = case when wake_at is not null or waiting_for is not null then engine_now() end
    where campaign_id = ${campaignId}`.execute(db);
}

/** Deletes a batch of reports that are too old to be repeated. Their counts stay. */
export async function forgetCallVoices(db: Db, limit: number): Promise<number> {
  const result = await sql`
    delete from call_voices where ctid = any(array(
      select ctid from call_voices where at < (select engine_now()) - interval '2 days' limit ${limit}))`.execute(
    db,
  );
  return Number(result.numAffectedRows ?? 0n);
}
