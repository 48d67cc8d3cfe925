import { sql } from 'kysely';
import { locks } from '../locks.ts';
import { isSettled } from '../workers/workers.ts';
import type { JsonObject } from '../schema/columns.ts';
import type { Executor, Tx } from '../transaction.ts';

/** `calls.provider` of calls in browsers. No carrier has this name. */
export const webProvider = 'web';

export interface NewWebCall {
  organizationId: string;
  agentId: string;
  promptId: string;
  promptParams: Record<string, string> | null;
  /** Placeholders of the prompt without a value, for the call's events. */
  missingPlaceholders: readonly string[];
  meta: JsonObject | null;
  createdBy: string;
  /** A browser must connect by then. */
  connectWithinSeconds: number;
}

/** Inserts a call that a browser is about to join. It uses a line from now on. */
export async function insertWebCall(tx: Tx, call: NewWebCall): Promise<{ id: string; connectBy: Date }> {
  const { rows } = await sql<{ id: string; connectBy: Date }>`
    insert into calls (id, organization_id, agent_id, attempt, provider, kind, phase, phone_number, prompt_id, prompt_params,
      meta, created_by, created_at, gated_at, check_at, line_held, events)
    select t.id, ${call.organizationId}, ${call.agentId}, 1, ${webProvider}, 'web', 'placing', 'web:' || t.id, ${call.promptId},
      ${call.promptParams === null ? null : JSON.stringify(call.promptParams)}::jsonb,
      ${call.meta === null ? null : JSON.stringify(call.meta)}::jsonb, ${call.createdBy}, t.now, t.now,
      t.now + ${call.connectWithinSeconds} * interval '1 second', true,
      case when cardinality(${call.missingPlaceholders}::text[]) = 0 then '[]'::jsonb
        else jsonb_build_array(jsonb_build_object('type', 'prompt_placeholder_missing', 'at', to_char(
          t.now at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'names', to_jsonb(${call.missingPlaceholders}::text[]))) end
    from (select new_id() as id, engine_now() as now) t
    returning id, check_at as "connectBy"`.execute(tx);
  const row = rows[0];
  if (!row) throw new Error('the insert returned no row');
  return row;
}

/**
 * Counts the current calls in browsers of an organization. Takes a lock until the commit, so that concurrent requests are counted one after the other.
 * Only this function takes it.
 */
export async function countWebCalls(tx: Tx, organizationId: string): Promise<number> {
  await sql`select ${locks.webCalls.take(organizationId)}`.execute(tx);
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from calls
    where organization_id = ${organizationId} and kind = 'web' and line_held`.execute(tx);
  return rows[0]?.count ?? 0;
}

/**
 * Takes one line of an organization, if one is free within its cap (line-caps.ts). An organization without a cap is neither counted nor locked.
 */
export async function takeOrganizationLine(tx: Tx, organizationId: string): Promise<boolean> {
  const { rows } = await sql<{ is_free: boolean }>`
    select lines_in_use < max_lines as is_free from organizations
    where id = ${organizationId} and max_lines is not null for no key update`.execute(tx);
  if (rows[0] === undefined) return true;
  if (!rows[0].is_free) return false;
  await sql`update organizations set lines_in_use = lines_in_use + 1 where id = ${organizationId}`.execute(
    tx,
  );
  return true;
}

/** Notes that the browser of a call has connected. True once for each call, and only at the process that was chosen for it. */
export async function claimWebCall(
  db: Executor,
  { callId, processId }: { callId: string; processId: string },
): Promise<boolean> {
  const { rows } = await sql`
    update voice_calls set connected_at = clock_timestamp()
    where call_id = ${callId} and process_id = ${processId} and connected_at is null returning call_id`.execute(
    db,
  );
  return rows.length > 0;
}

/** Which of these calls are over or should end. */
export async function findWebCallsToEnd(db: Executor, callIds: readonly string[]): Promise<string[]> {
  if (callIds.length === 0) return [];
  const { rows } = await sql<{ id: string }>`
    select id from calls where id = any(${[...callIds]}::uuid[]) and (hangup_requested_at is not null or phase = 'ended')`.execute(
    db,
  );
  return rows.map((row) => row.id);
}

export interface LostWebCall {
  id: string;
  reason: 'never_connected' | 'hung_up' | 'voice_process_lost' | 'longest_duration';
}

/**
 * Calls in browsers that no voice process will end: the browser never connected, the process died, or the call is a minute beyond its longest duration.
 * A process counts as dead ninety seconds after its last heartbeat. After an outage of Postgres all seem dead, so none does until `isSettled` (workers.ts).
 */
export async function findLostWebCalls(
  db: Executor,
  { now, limit }: { now: Date; limit: number },
): Promise<LostWebCall[]> {
  const { rows } = await sql<LostWebCall>`
    select id, reason from (
      select c.id, case
        when v.is_connected then case when c.check_at < ${now}::timestamptz - interval '1 minute' then 'longest_duration' end
        when c.phase <> 'placing' then 'voice_process_lost'
        when c.hangup_requested_at is not null then 'hung_up'
        when c.check_at <= ${now} then 'never_connected' end as reason
      from calls c
      cross join lateral (select exists (
        select from voice_calls v join voice_processes p on p.id = v.process_id
        where v.call_id = c.id and v.connected_at is not null
          and (p.seen_at > clock_timestamp() - interval '90 seconds' or not ${isSettled})) as is_connected) v
      where c.kind = 'web' and c.line_held) judged
    where reason is not null limit ${limit}`.execute(db);
  return rows;
}

/**
 * The browser addresses of voice processes that were alive within ten minutes. The page that lists them is public, so it leaves out addresses inside the
 * operator's network: those for carriers that are neither `wss:` nor of this machine.
 */
export async function listVoiceWebUrls(db: Executor): Promise<string[]> {
  const { rows } = await sql<{ url: string }>`
    select distinct coalesce(web_url, url) as url from voice_processes
    where seen_at > clock_timestamp() - interval '10 minutes'
      and (web_url is not null or url ~ '^(wss:|ws://(127\\.0\\.0\\.1|localhost|\\[::1\\])[:/])')
    order by 1 limit 50`.execute(db);
  return rows.map((row) => row.url);
}
