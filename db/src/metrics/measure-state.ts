import { sql } from 'kysely';
import { listFailingRecipients } from '../campaigns/failures.ts';
import type { Executor } from '../transaction.ts';

/** The state of the installation for metrics. The cost does not depend on the number of recipients. */
export interface StateOfInstallation extends Figures {
  /** Recipients of running campaigns that could be dialed now, for the fifty organizations with the most. */
  due: Array<{ organizationId: string; recipients: number }>;
  /** Calls in progress, for the fifty organizations with the most. */
  linesInUse: Array<{ organizationId: string; lines: number }>;
  closedProviders: Array<{ provider: string; isClosed: boolean }>;
  /** Running campaigns that place no calls, by what they wait for. */
  blockedCampaigns: Array<{ reason: string; campaigns: number }>;
  /** Recipients of running campaigns whose dials fail repeatedly, in at most a thousand campaigns. */
  failingRecipients: number;
}

interface Figures {
  /** How late the scheduler is with the campaign that has been due longest. */
  overdueSeconds: number;
  /** Calls in progress that should have been looked up a minute ago. */
  uncheckedCalls: number;
  liveWorkers: number;
  /** How late the workers are with the webhook that has been due longest. Webhooks that wait for a retry are not due. */
  webhooksOverdueSeconds: number;
  /** How long the longest failing enabled endpoint has been failing. */
  webhooksFailingSeconds: number;
  /** Documents waiting to be read, counted up to a thousand, and the age of the oldest. */
  waitingDocuments: number;
  oldestDocumentSeconds: number;
}

export async function measureState(db: Executor): Promise<StateOfInstallation> {
  const { rows } = await sql<Figures>`
    select
      (select coalesce(extract(epoch from t.now - min(r.wake_at)), 0)::float from campaign_runtime r
       join campaigns c on c.id = r.campaign_id and c.status = 'running' where r.wake_at <= t.now) as "overdueSeconds",
      (select count(*)::int from calls where line_held and check_at < t.now - interval '1 minute') as "uncheckedCalls",
      (select count(*)::int from workers where seen_at > clock_timestamp() - interval '30 seconds') as "liveWorkers",
      webhooks.*, documents.*
    from (select engine_now() as now offset 0) t cross join lateral (
      select coalesce(max(extract(epoch from t.now - least(d.next_attempt_at, waiting.created_at))), 0)::float as "webhooksOverdueSeconds",
        coalesce(max(extract(epoch from t.now - e.failing_since)), 0)::float as "webhooksFailingSeconds"
      from webhook_endpoints e
      -- One index look-up per endpoint.
      left join lateral (
        select next_attempt_at from webhook_deliveries
        where endpoint_id = e.id and status = 'pending' and next_attempt_at <= t.now
        order by next_attempt_at limit 1) d on true
      -- Events without a position wait until the endpoint's backlog is sent.
      left join lateral (
        select created_at from outbox
        where organization_id = e.organization_id and position is null order by ordinal limit 1) waiting on true
      where e.enabled) webhooks
    cross join (
      select count(*)::int as "waitingDocuments",
        coalesce(extract(epoch from clock_timestamp() - min(created_at)), 0)::float as "oldestDocumentSeconds"
      from (select created_at from knowledge_base_documents where status in ('pending', 'processing')
            order by created_at limit 1000) d) documents`.execute(db);
  const due = await sql<{ organizationId: string; recipients: number }>`
    select c.organization_id as "organizationId", sum(k.recipients)::int as recipients
    from campaigns c
    join campaign_runtime r on r.campaign_id = c.id and r.next_dial_at <= (select engine_now())
    -- The counts plus changes that are not folded yet.
    join lateral (
      select coalesce(sum(waiting + retrying), 0) as recipients from (
        select waiting, retrying from campaign_counts where campaign_id = c.id
        union all
        select waiting, retrying from campaign_count_changes where campaign_id = c.id) counted) k on true
    where c.status = 'running'
    group by c.organization_id having sum(k.recipients) > 0 order by recipients desc limit 50`.execute(db);
  const inProgress = await sql<{ organizationId: string; lines: number }>`
    select organization_id as "organizationId", count(*)::int as lines
    from calls where line_held
    group by organization_id order by lines desc, organization_id limit 50`.execute(db);
  const providers = await sql<{ provider: string; isClosed: boolean }>`
    -- Between two pauses of a failing provider, a probe is about to be sent.
    select name as provider, coalesce(closed_until > (select engine_now())
        - case when failures_in_a_row > 0 then interval '15 seconds' else interval '0' end, false) as "isClosed"
    from providers order by name limit 50`.execute(db);
  const blocked = await sql<{ reason: string; campaigns: number }>`
    select rt.blocked_for as reason, count(*)::int as campaigns
    from campaigns c join campaign_runtime rt on rt.campaign_id = c.id
    where c.status = 'running' and rt.blocked_since is not null group by rt.blocked_for`.execute(db);
  const failing = await listFailingRecipients(db, { limit: 1_000 });
  const [figures] = rows;
  if (figures === undefined) throw new Error('measureState returned no row');
  return {
    ...figures,
    due: due.rows,
    linesInUse: inProgress.rows,
    closedProviders: providers.rows,
    blockedCampaigns: blocked.rows,
    failingRecipients: failing.reduce((sum, { recipients }) => sum + recipients, 0),
  };
}

/** How many sessions may be open at once, and how many are, by whom they are limited. */
export interface ConnectionLimit {
  of: 'server' | 'role' | 'database';
  limit: number;
  open: number;
}

/** The limits of the server, without the connections that it reserves, of our role and of our database. Null limits are left out. */
export async function readConnectionLimits(db: Executor): Promise<ConnectionLimit[]> {
  const { rows } = await sql<ConnectionLimit>`
    with sessions as materialized (
      select usesysid, datid from pg_stat_activity
      -- Without the rights to see it, the type of others' sessions is null.
      where usesysid is not null and coalesce(backend_type, 'client backend') = 'client backend'),
    connected as (select r.oid as role_id, r.rolconnlimit, d.oid as database_id, d.datconnlimit
      from pg_roles r, pg_database d where r.rolname = current_user and d.datname = current_database())
    select 'server' as of,
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        - coalesce(current_setting('reserved_connections', true)::int, 0) as limit,
      (select count(*)::int from sessions) as open
    union all
    select 'role', rolconnlimit, (select count(*)::int from sessions where usesysid = role_id) from connected where rolconnlimit >= 0
    union all
    select 'database', datconnlimit, (select count(*)::int from sessions where datid = database_id) from connected
    where datconnlimit >= 0`.execute(db);
  return rows;
}
