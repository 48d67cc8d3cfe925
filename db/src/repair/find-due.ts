import { preparedText } from '../postgres/prepared.ts';
import type { Executor } from '../transaction.ts';

const isRunning = `exists (select from campaigns where status = 'running')`;

/**
 * For sweeps that run every few seconds, whether one may have work. Each condition holds whenever its sweep would find something. Where rows come and
 * go quickly, it reads the first entry of an index, since `exists` could read a whole table of deleted rows, or of ended calls while Postgres has no statistics.
 */
const conditions: Readonly<Record<string, string>> = {
  'wake-due-campaigns': `exists (select from campaign_runtime where wake_at <= t.now + interval '1 second')`,
  'check-due-calls': `(
    select id from calls where line_held and check_at <= t.now and kind <> 'web' order by recipient_id limit 1) is not null`,
  'hang-up-calls': `(
    select id from calls where hangup_requested_at is not null and line_held and accepted_at is not null and kind <> 'web'
    order by hangup_requested_at limit 1) is not null`,
  'end-lost-web-calls': `exists (select from calls where kind = 'web' and line_held)`,
  'retry-queued-calls': `(
    select id from calls where queue_deadline_at is not null order by provider, created_at limit 1) is not null`,
  'end-waiting-for-suppressed': `exists (select from suppressions where recipients_check_at <= t.now)
    or exists (select from installation_suppressions where recipients_check_at <= t.now)`,
  'wake-stranded-campaigns': isRunning,
  'bring-instants-back': `(select id from calls where line_held order by recipient_id limit 1) is not null
    or (select id from calls where queue_deadline_at is not null order by provider, created_at limit 1) is not null
    or exists (select from providers where closed_until > t.now)
    or exists (select from campaign_runtime where retry_at > t.now and (wake_at is not null or withdrawing))`,
  'mark-blocked-campaigns': isRunning,
  'estimate-ends': isRunning,
  // Postgres expects that nearly all campaigns differ, and would read them all.
  'rekey-recipients': `(
    select id from campaigns where calling_policy <> calling_keys_policy order by id limit 1) is not null`,
  'resume-withdrawals': `exists (select from campaign_runtime where withdrawing)`,
  'fold-campaign-counts': `(select id from campaign_count_changes order by id limit 1) is not null`,
  'erase-deleted-campaigns': `exists (select from campaigns where deleted_at is not null and erased_at is null)`,
  'publish-events': `(
    select organization_id from outbox where position is null order by organization_id limit 1) is not null`,
  'resume-deliveries': `exists (
    select from webhook_endpoints e where e.enabled and exists (
      select from webhook_deliveries d where d.endpoint_id = e.id and d.status = 'pending' and d.next_attempt_at <= t.now))`,
  ingestion: `exists (select from knowledge_base_documents where status in ('pending', 'processing'))
    or exists (select from stored_files where state <> 'kept')`,
};

/** The sweeps that `findDue` can judge. */
export const askedSweeps: ReadonlySet<string> = new Set(Object.keys(conditions));

const names = Object.entries(conditions).map(
  ([name, condition]) => `case when '${name}' = any(t.asked) and (${condition}) then '${name}' end`,
);
// One column, since reading many takes the process as long as asking.
const statement = `
  select array_remove(array[${names.join(', ')}], null) as due
  from (select engine_now() as now, $1::text[] as asked offset 0) t`;

/** Which of these sweeps may have work, in one statement. */
export async function findDue(db: Executor, asked: readonly string[]): Promise<Set<string>> {
  const { rows } = await db.executeQuery<{ due: string[] }>(preparedText(statement, [asked]));
  return new Set(rows[0]?.due);
}
