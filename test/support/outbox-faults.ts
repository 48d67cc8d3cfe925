import { outboxRetentionDays, type Executor } from '@outdial/db';
import { sql } from 'kysely';

/**
 * The differences between the outbox and the rows of calls, recipients and campaigns.
 *
 * A campaign that never ran needs no event: one that was created as `paused` has none, although one that a request moved from `draft` to
 * `paused` has.
 */
export async function outboxFaults(db: Executor): Promise<string[]> {
  const { rows } = await sql<{ fault: string }>`
    with told as (
      select call_id as id,
        max(ordinal) filter (where type = 'call.started') as started,
        max(ordinal) filter (where type = 'call.answered') as answered,
        max(ordinal) filter (where type = 'call.ended') as ended,
        (array_agg(data order by ordinal desc) filter (where type in ('call.ended', 'call.updated')))[1] as last,
        max(times) as times
      from (
        select *, case when type <> 'call.updated' then count(*) over (partition by call_id, type) end as times
        from outbox where call_id is not null) o
      group by call_id),
    of_calls as (
      select case
        when t.times > 1 then 'call ' || t.id || ' started, was answered or ended twice'
        when c.id is null then 'call ' || t.id || ' is in the outbox, but does not exist'
        when c.phase = 'ended' and t.ended is null then 'call ' || c.id || ' has ended, but the outbox has no end'
        when c.phase <> 'ended' and t.ended is not null then 'call ' || c.id || ' has not ended, but the outbox has an end'
        when c.answered_at is not null and t.answered is null then 'call ' || c.id || ' was answered, but the outbox has no answer'
        when c.answered_at is null and t.answered is not null then 'call ' || c.id || ' was not answered, but the outbox has an answer'
        when c.accepted_at is null and t.started is not null then 'call ' || c.id || ' was not accepted, but the outbox has a start'
        when c.phase in ('ringing', 'answered') and t.started is null then 'call ' || c.id || ' is in progress, but the outbox has no start'
        -- Accepted before its end: not by a late event of a call that was given up, nor by the event that corrects its end.
        when c.accepted_at <= c.ended_at and c.accepted_at is distinct from c.corrected_at and (e.rang or not e.was_queued) and t.started is null
          then 'call ' || c.id || ' was accepted and ended, but the outbox has no start'
        when t.started > t.ended or t.started > t.answered or t.answered > t.ended then 'call ' || c.id || ' has events in the wrong order'
        when c.phase = 'ended' and (t.last ->> 'outcome', (t.last ->> 'attempt')::int) is distinct from (c.outcome, c.attempt)
          then 'call ' || c.id || ' ended as ' || c.outcome || ', but the outbox has ' || t.last
      end as fault
      from told t full join calls c on c.id = t.id
      cross join lateral (
        select coalesce(bool_or(e ->> 'type' in ('ringing', 'answered')), false) as rang,
          -- It waited in the queue of its provider, and may never have been dialed.
          coalesce(bool_or(e @> '{"type": "placed", "queued": true}'), false) as was_queued
        from jsonb_array_elements(c.events) e) e),
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
        when s.last is distinct from due.last and not (due.last is null and s.last = 'campaign.paused')
          then 'campaign ' || c.id || ' is ' || c.status || ', but its last event is ' || coalesce(s.last, 'missing')
        when s.twice > 0 then 'campaign ' || c.id || ' has two starts or ends in a row'
      end as fault
      from campaigns c
      cross join lateral (
        select case
          when c.status = 'running' then 'campaign.started'
          when c.status in ('finished', 'canceled') then 'campaign.' || c.status
          when c.started_by is not null then 'campaign.paused'
        end as last) due
      cross join lateral (
        select (array_agg(type order by ordinal desc))[1] as last,
          count(*) filter (where kind <> 'paused' and kind = kind_before) as twice
        from (
          select ordinal, type, kind, lag(kind) over (order by ordinal) as kind_before
          from outbox o
          cross join lateral (
            select case o.type when 'campaign.started' then 'started' when 'campaign.paused' then 'paused' else 'ended' end as kind) k
          where o.campaign_id = c.id and o.type in
            ('campaign.started', 'campaign.paused', 'campaign.finished', 'campaign.canceled')) told) s
      -- Older rows are deleted.
      where c.updated_at > (select engine_now()) - ${outboxRetentionDays} * interval '1 day')
    select fault from (
      select fault from of_calls union all select fault from of_recipients union all select fault from of_campaigns) all_faults
    where fault is not null limit 20`.execute(db);
  return rows.map((row) => row.fault);
}
