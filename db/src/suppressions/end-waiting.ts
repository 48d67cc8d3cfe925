import { sql, type RawBuilder } from 'kysely';
import { isSuppressionInForce } from '../compliance/is-suppressed.ts';
import { refusalsCounted } from '../compliance/refusals.ts';
import { recipientsFinished } from '../outbox/write-outbox.ts';
import type { Tx } from '../transaction.ts';

/** When to look again if a call to the number is in progress, because the recipient's next step follows from the end of the call. */
const inCallRetrySeconds = 15;

export interface EndedWaiting {
  looked: number;
  ended: number;
  /** Running campaigns with recipients that were ended. */
  campaignIds: string[];
  /** Direct calls that wait for a line. */
  queuedCallIds: string[];
}

/** The suppression lists of organizations, or the installation's. */
export type SuppressionList = 'organizations' | 'installation';

const lists: Record<SuppressionList, Record<'table' | 'key' | 'columns' | 'isHeld', RawBuilder<unknown>>> = {
  organizations: {
    table: sql`suppressions`,
    key: sql`t.organization_id = s.organization_id and t.phone_number = s.phone_number`,
    columns: sql`s.organization_id, s.phone_number`,
    isHeld: isSuppressionInForce(sql`(select engine_now())`),
  },
  installation: {
    table: sql`installation_suppressions`,
    key: sql`t.phone_number = s.phone_number`,
    columns: sql`null::uuid as organization_id, s.phone_number`,
    isHeld: sql`true`,
  },
};

/**
 * Ends waiting recipients whose number has been suppressed, in every campaign that is not over. The gate would refuse them anyway, but perhaps only
 * in a week, and they would count as waiting until then.
 */
export async function endWaitingForSuppressed(
  tx: Tx,
  list: SuppressionList,
  limit: number,
): Promise<EndedWaiting> {
  const of = lists[list];
  const { rows } = await sql<{ looked: number; ended: number; campaigns: string[]; queued: string[] }>`
    with s as materialized (
      select ${of.columns}, ${of.isHeld} as is_held from ${of.table} s
      where s.recipients_check_at <= (select engine_now()) order by s.recipients_check_at limit ${limit} for update skip locked),
    found as materialized (
      select s.organization_id as listed_for, s.phone_number, r.organization_id, r.campaign_id, r.id, r.state
      from s join campaigns c on (s.organization_id is null or c.organization_id = s.organization_id)
        and c.status in ('draft', 'paused', 'running') and c.deleted_at is null
      join campaign_recipients r on r.campaign_id = c.id and r.phone_number = s.phone_number
      where s.is_held and r.state in ('pending', 'dialing')),
    locked as materialized (
      select r.organization_id, r.campaign_id, r.id
      from found join campaign_recipients r
        on r.organization_id = found.organization_id and r.campaign_id = found.campaign_id and r.id = found.id
      where r.state = 'pending' order by r.id for no key update of r skip locked),
    ended as (
      update campaign_recipients r set state = 'suppressed', next_attempt_at = null
      from locked
      where r.organization_id = locked.organization_id and r.campaign_id = locked.campaign_id and r.id = locked.id
        and r.state = 'pending'
      returning r.organization_id, r.campaign_id, r.id, r.last_outcome, r.attempts, r.round),
    explained as (
      select ended.*, 'suppressed' as refused, engine_now() as refused_at, null::uuid as grounds_id,
        null::jsonb as person_check from ended),
    refused as (${refusalsCounted(sql`explained`)}),
    events as (${recipientsFinished(sql`ended`, { reason: 'suppressed', now: sql`engine_now()` })}),
    woken as (
      update campaign_runtime rt set wake_at = engine_now() from (
        select w.campaign_id from campaign_runtime w join campaigns c on c.id = w.campaign_id and c.status = 'running'
        where w.campaign_id in (select campaign_id from ended) order by w.campaign_id for no key update of w) due
      where rt.campaign_id = due.campaign_id
      returning rt.campaign_id),
    looked as (
      update ${of.table} t
      set recipients_check_at = case when exists (
          select from found f where f.phone_number = s.phone_number and f.listed_for is not distinct from s.organization_id
            and f.id not in (select id from ended))
        then engine_now() + ${inCallRetrySeconds} * interval '1 second' end
      from s where ${of.key} returning 1)
    select (select count(*)::int from looked) as looked, (select count(*)::int from ended) as ended,
      array(select campaign_id from woken) as campaigns,
      array(select l.id from s join calls l on l.phone_number = s.phone_number and l.phase = 'queued'
        and (s.organization_id is null or l.organization_id = s.organization_id)) as queued`.execute(tx);
  const [row] = rows;
  return {
    looked: row?.looked ?? 0,
    ended: row?.ended ?? 0,
    campaignIds: row?.campaigns ?? [],
    queuedCallIds: row?.queued ?? [],
  };
}
