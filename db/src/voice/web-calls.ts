import { sql } from 'kysely';
import { type AgentRow, skillsOfAgent } from '../agents/agents.ts';
import { locks } from '../locks.ts';
import { isSettled } from '../workers/workers.ts';
import type { JsonObject } from '../schema/columns.ts';
import type { Executor, Tx } from '../transaction.ts';
import type { CallerPlace, CallKind } from '@outdial/core';
import { eventsOfPlaceholders } from '../direct/direct-calls.ts';
import { callerPlace } from '../send/caller-place.ts';
import type { StoredPlace } from '../schema/campaigns.ts';
import type { AgentKey, CallKey } from '../keys.ts';

/** `calls.provider` of calls in browsers. No carrier has this name. */
export const webProvider = 'web';

export interface NewWebCall extends AgentKey {
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
      ${eventsOfPlaceholders(call)}
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

/** Takes one line of an organization, if one is free within its cap (line-caps.ts). An organization without a cap is neither counted nor locked. */
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

/** The data that a voice process needs for a call. */
export interface VoiceCall {
  id: string;
  organizationId: string;
  agentId: string;
  campaignId: string | null;
  /** The name of its row in `providers`. */
  provider: string;
  agentName: string;
  config: JsonObject;
  skills: AgentRow['skills'];
  prompt: { text: string; mitigation: string; harmfulIntents: unknown[] };
  promptParams: Record<string, string>;
  kind: CallKind;
  /** Null for a call in a browser, and for a caller who withholds the number. */
  phoneNumber: string | null;
  /** From which the call is made; null if the provider chooses it. */
  fromPhone: string | null;
  /** What the caller of the API said of the person's location. */
  place: CallerPlace;
}

/** Null if the organization has no such call, or if it is over. */
export async function findVoiceCall(
  db: Executor,
  { organizationId, callId }: CallKey,
): Promise<VoiceCall | null> {
  const { rows } = await sql<Omit<VoiceCall, 'place'> & { place: StoredPlace | null }>`
    select c.id, c.organization_id as "organizationId", c.agent_id as "agentId", c.campaign_id as "campaignId", c.provider,
      a.name as "agentName", a.config, c.kind,
      case when starts_with(c.phone_number, '+') then c.phone_number end as "phoneNumber",
      case when c.kind = 'phone_outbound' then c.from_phone end as "fromPhone", r.place,
      coalesce(c.prompt_params, '{}') as "promptParams",
      jsonb_build_object('text', p.prompt, 'mitigation', p.mitigation, 'harmfulIntents', p.harmful_intents) as prompt,
      ${skillsOfAgent} as skills
    from calls c
    join agents a on a.organization_id = c.organization_id and a.id = c.agent_id
    join agent_prompts p on p.id = c.prompt_id
    left join campaign_recipients r
      on r.organization_id = c.organization_id and r.campaign_id = c.campaign_id and r.id = c.recipient_id
    where c.organization_id = ${organizationId} and c.id = ${callId} and c.phase <> 'ended'`.execute(db);
  const [row] = rows;
  return row === undefined ? null : { ...row, place: callerPlace(row.place) };
}

/** Saves the transcript during the call, so that a process that dies loses at most one turn. A late one does not replace that of the end. */
export async function saveTranscriptSoFar(
  db: Executor,
  args: CallKey & { transcript: string },
): Promise<void> {
  await sql`update calls set transcript = ${args.transcript}
    where organization_id = ${args.organizationId} and id = ${args.callId} and phase <> 'ended' and phone_number <> ''`.execute(
    db,
  );
}

/** Whether the call's record names a recording. It does not if the person was erased during the call. */
export async function hasRecording(db: Executor, { organizationId, callId }: CallKey): Promise<boolean> {
  const { rows } = await sql`
    select from calls
    where organization_id = ${organizationId} and id = ${callId} and recording_url is not null`.execute(db);
  return rows.length > 0;
}
