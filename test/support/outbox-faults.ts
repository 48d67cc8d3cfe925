import type { Db } from '@outdial/db';
import { sql } from 'kysely';

/** The differences between the outbox and the rows of calls, recipients and campaigns. */
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
        when c.id is null then 'call ' || t.id || ' is in the outbox, but does not exist'
        when c.phase = 'ended' and t.ended is null then 'call ' || c.id || ' has ended, but the outbox has no end'
        when c.phase <> 'ended' and t.ended is not null then 'call ' || c.id || ' has not ended, but the outbox has an end'
        when c.answered_at is not null and t.answered is null then 'call ' || c.id || ' was answered, but the outbox has no answer'
        when c.answered_at is null and t.answered is not null then 'call ' || c.id || ' was not answered, but the outbox has an answer'
        when c.accepted_at is null and t.started is not null then 'call ' || c.id || ' was not accepted, but the outbox has a start'
        when c.phase in ('ringing', 'answered') and t.started is null then 'call ' || c.id || ' is in progress, but the outbox has no start'
        when t.started > t.ended or t.started > t.answered or t.answered > t.ended then 'call ' || c.id || ' has events in the wrong order'
        when c.phase = 'ended' and (t.last ->> 'outcome', (t.last ->> 'attempt')::int) is distinct from (c.outcome, c.attempt)
          then 'call ' || c.id || ' ended as ' || c.outcome || ', but the outbox has ' || t.last
      end as fault
      from told t full join calls c on c.id = t.id),
    -- In one scan, because the outbox has no index by recipient.
    finished as (
      select distinct on (recipient_id) recipient_id, data from outbox where type = 'recipient.finished'
      order by recipient_id, ordinal desc),
    of_recipients as (
      select case
        when r.state not in ('done', 'withdrawn', 'suppressed') then null
        when f.data is null then 'recipient ' || r.id || ' is ' || r.state || ', but the outbox does not have that'
        when (f.data ->> 'outcome', (f.data ->> 'attempts')::int) is distinct from (r.last_outcome, r.attempts)
          then 'recipient ' || r.id || ' is ' || r.state || ' by ' || coalesce(r.last_outcome, 'nothing') || ' after ' || r.attempts || ', but the outbox has ' || f.data
      end as fault
      from campaign_recipients r left join finished f on f.recipient_id = r.id),
    of_campaigns as (
      select case
        when c.status in ('finished', 'canceled') and not coalesce(f.ends_last, false) then 'campaign ' || c.id || ' is ' || c.status || ', but its last event is another one'
        when c.status not in ('finished', 'canceled') and f.ends_last then 'campaign ' || c.id || ' is ' || c.status || ', but its last event is an end'
        when f.twice > 0 then 'campaign ' || c.id || ' has two ends in a row'
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
