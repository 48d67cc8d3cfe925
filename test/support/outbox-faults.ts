import type { Db } from '@outdial/db';
import { sql } from 'kysely';

/** Where the outbox and the rows that it tells of disagree; empty if it tells of each call, recipient and campaign what became of it. */
export async function outboxFaults(db: Db): Promise<string[]> {
  const { rows } = await sql<{ fault: string }>`
    with told as (
      select call_id as id,
        max(ordinal) filter (where type = 'call.started') as started,
        max(ordinal) filter (where type = 'call.answered') as answered,
        max(ordinal) filter (where type = 'call.ended') as ended,
        (array_agg(data order by ordinal desc) filter (where type in ('call.ended', 'call.updated')))[1] as last
      from outbox where call_id is not null group by call_id),
    of_calls as (
      select case
        when c.id is null then 'call ' || t.id || ' is told of and is not there'
        when c.phase = 'ended' and t.ended is null then 'call ' || c.id || ' ended, and no row tells it'
        when c.phase <> 'ended' and t.ended is not null then 'call ' || c.id || ' has not ended, and a row tells that it did'
        when c.answered_at is not null and t.answered is null then 'call ' || c.id || ' was answered, and no row tells it'
        when c.answered_at is null and t.answered is not null then 'call ' || c.id || ' was not answered, and a row tells that it was'
        when c.accepted_at is null and t.started is not null then 'call ' || c.id || ' was not accepted, and a row tells that it started'
        when c.phase in ('ringing', 'answered') and t.started is null then 'call ' || c.id || ' goes on, and no row tells that it started'
        when t.started > t.ended or t.started > t.answered or t.answered > t.ended then 'call ' || c.id || ' is told of in another order'
        when c.phase = 'ended' and (t.last ->> 'outcome', (t.last ->> 'attempt')::int) is distinct from (c.outcome, c.attempt)
          then 'call ' || c.id || ' ended as ' || c.outcome || ', and the rows say ' || t.last
      end as fault
      from told t full join calls c on c.id = t.id),
    -- All at once: the outbox has no index by recipient.
    finished as (
      select distinct on (recipient_id) recipient_id, data from outbox where type = 'recipient.finished'
      order by recipient_id, ordinal desc),
    of_recipients as (
      select case
        when r.state not in ('done', 'withdrawn', 'suppressed') then null
        when f.data is null then 'recipient ' || r.id || ' is ' || r.state || ', and no row tells it'
        when (f.data ->> 'outcome', (f.data ->> 'attempts')::int) is distinct from (r.last_outcome, r.attempts)
          then 'recipient ' || r.id || ' is ' || r.state || ' by ' || coalesce(r.last_outcome, 'nothing') || ' after ' || r.attempts || ', and the row says ' || f.data
      end as fault
      from campaign_recipients r left join finished f on f.recipient_id = r.id),
    of_campaigns as (
      select case
        when c.status in ('finished', 'canceled') and not coalesce(f.ends_last, false) then 'campaign ' || c.id || ' is ' || c.status || ', and its last row tells something else'
        when c.status not in ('finished', 'canceled') and f.ends_last then 'campaign ' || c.id || ' is ' || c.status || ', and its last row tells that it ended'
        when f.twice > 0 then 'campaign ' || c.id || ' is told to have ended twice in a row'
      end as fault
      from campaigns c cross join lateral (
        select (array_agg(ends order by ordinal desc))[1] as ends_last,
          count(*) filter (where ends and ended_before) as twice
        from (
          select ordinal, type in ('campaign.finished', 'campaign.canceled') as ends,
            lag(type in ('campaign.finished', 'campaign.canceled')) over (order by ordinal) as ended_before
          from outbox o
          where o.campaign_id = c.id and o.type in
            ('campaign.started', 'campaign.paused', 'campaign.finished', 'campaign.canceled')) s) f)
    select fault from (
      select fault from of_calls union all select fault from of_recipients union all select fault from of_campaigns) all_faults
    where fault is not null limit 20`.execute(db);
  return rows.map((row) => row.fault);
}
