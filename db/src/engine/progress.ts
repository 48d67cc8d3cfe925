import type { CallPhase, Outcome } from '@outdial/core';
import { sql } from 'kysely';
import type { CallEvent, JsonObject } from '../schema.ts';
import type { Executor, Tx } from '../transaction.ts';
import { releaseLines, type LineHeirs } from './lines.ts';

/** A call as progress is applied to it; its row is held. */
export interface HeldCall {
  id: string;
  organizationId: string;
  campaignId: string | null;
  recipientId: string | null;
  attempt: number;
  provider: string;
  phase: CallPhase;
  outcome: Outcome | null;
  conversationId: string | null;
  transcript: string | null;
  durationSeconds: number | null;
  cost: string;
  recordingUrl: string | null;
  callExtract: JsonObject | null;
  externalStatus: string | null;
  events: CallEvent[];
  gatedAt: Date | null;
  acceptedAt: Date | null;
  answeredAt: Date | null;
  endedAt: Date | null;
  correctedAt: Date | null;
  checkAt: Date | null;
  lineHeld: boolean;
}

interface HeldCallRow {
  id: string;
  organization_id: string;
  campaign_id: string | null;
  recipient_id: string | null;
  attempt: number;
  provider: string;
  phase: CallPhase;
  outcome: Outcome | null;
  conversation_id: string | null;
  transcript: string | null;
  duration_seconds: number | null;
  cost: string;
  recording_url: string | null;
  call_extract: JsonObject | null;
  external_status: string | null;
  events: CallEvent[];
  gated_at: Date | null;
  accepted_at: Date | null;
  answered_at: Date | null;
  ended_at: Date | null;
  corrected_at: Date | null;
  check_at: Date | null;
  line_held: boolean;
  now: Date;
}

/** Holds the rows of calls, in the order of their ids. Unknown ids are left out. */
export async function holdCalls(tx: Tx, ids: readonly string[]): Promise<{ now: Date; calls: HeldCall[] }> {
  const { rows } = await sql<HeldCallRow>`
    with held as materialized (
      select * from calls where id = any(${ids}::uuid[]) order by id for no key update)
    select id, organization_id, campaign_id, recipient_id, attempt, provider, phase, outcome, conversation_id, transcript,
      duration_seconds, cost, recording_url, call_extract, external_status, events, gated_at, accepted_at, answered_at,
      ended_at, corrected_at, check_at, line_held, engine_now() as now
    from held`.execute(tx);
  return { now: rows[0]?.now ?? new Date(0), calls: rows.map(toHeldCall) };
}

function toHeldCall(row: HeldCallRow): HeldCall {
  return {
    id: row.id,
    organizationId: row.organization_id,
    campaignId: row.campaign_id,
    recipientId: row.recipient_id,
    attempt: row.attempt,
    provider: row.provider,
    phase: row.phase,
    outcome: row.outcome,
    conversationId: row.conversation_id,
    transcript: row.transcript,
    durationSeconds: row.duration_seconds,
    cost: row.cost,
    recordingUrl: row.recording_url,
    callExtract: row.call_extract,
    externalStatus: row.external_status,
    events: row.events,
    gatedAt: row.gated_at,
    acceptedAt: row.accepted_at,
    answeredAt: row.answered_at,
    endedAt: row.ended_at,
    correctedAt: row.corrected_at,
    checkAt: row.check_at,
    lineHeld: row.line_held,
  };
}

/** Writes back what progress has made of held calls; `newEvents` are appended. */
export async function writeCalls(
  tx: Tx,
  calls: readonly (HeldCall & { newEvents: readonly CallEvent[] })[],
): Promise<void> {
  if (calls.length === 0) return;
  const rows = calls.map((call) => ({
    id: call.id,
    phase: call.phase,
    outcome: call.outcome,
    conversation_id: call.conversationId,
    transcript: call.transcript,
    duration_seconds: call.durationSeconds,
    cost: call.cost,
    recording_url: call.recordingUrl,
    call_extract: call.callExtract,
    external_status: call.externalStatus,
    new_events: call.newEvents,
    accepted_at: call.acceptedAt,
    answered_at: call.answeredAt,
    ended_at: call.endedAt,
    corrected_at: call.correctedAt,
    check_at: call.checkAt,
    line_held: call.lineHeld,
  }));
  await sql`
    update calls c
    set phase = x.phase, outcome = x.outcome, conversation_id = x.conversation_id, transcript = x.transcript,
        duration_seconds = x.duration_seconds, cost = x.cost, recording_url = x.recording_url,
        call_extract = x.call_extract, external_status = x.external_status, events = c.events || x.new_events,
        accepted_at = x.accepted_at, answered_at = x.answered_at, ended_at = x.ended_at, corrected_at = x.corrected_at,
        check_at = x.check_at, line_held = x.line_held
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as x(
      id uuid, phase text, outcome text, conversation_id text, transcript text, duration_seconds int, cost numeric,
      recording_url text, call_extract jsonb, external_status text, new_events jsonb, accepted_at timestamptz,
      answered_at timestamptz, ended_at timestamptz, corrected_at timestamptz, check_at timestamptz, line_held boolean)
    where c.id = x.id`.execute(tx);
}

/** A recipient whose call has ended; its row is held. */
export interface HeldRecipient {
  organizationId: string;
  campaignId: string;
  id: string;
  timezone: string;
  attempts: number;
  round: number;
  roundAttempts: number;
  firstAttemptAt: Date | null;
  withdrawn: boolean;
  state: string;
  /** The claim of the call that is live, or that was the last. */
  claimId: string | null;
}

export interface RecipientKey {
  organizationId: string;
  campaignId: string;
  recipientId: string;
}

export async function holdRecipients(tx: Tx, keys: readonly RecipientKey[]): Promise<HeldRecipient[]> {
  if (keys.length === 0) return [];
  const { rows } = await sql<{
    organization_id: string;
    campaign_id: string;
    id: string;
    timezone: string;
    attempts: number;
    round: number;
    round_attempts: number;
    first_attempt_at: Date | null;
    withdrawn_at: Date | null;
    state: string;
    claim_id: string | null;
  }>`
    select r.organization_id, r.campaign_id, r.id, r.timezone, r.attempts, r.round, r.round_attempts, r.first_attempt_at,
      r.withdrawn_at, r.state, r.claim_id
    from unnest(${keys.map((key) => key.organizationId)}::uuid[], ${keys.map((key) => key.campaignId)}::uuid[],
                ${keys.map((key) => key.recipientId)}::uuid[]) as x(organization_id, campaign_id, id)
    join campaign_recipients r on r.organization_id = x.organization_id and r.campaign_id = x.campaign_id and r.id = x.id
    order by r.id for no key update of r`.execute(tx);
  return rows.map((row) => ({
    organizationId: row.organization_id,
    campaignId: row.campaign_id,
    id: row.id,
    timezone: row.timezone,
    attempts: row.attempts,
    round: row.round,
    roundAttempts: row.round_attempts,
    firstAttemptAt: row.first_attempt_at,
    withdrawn: row.withdrawn_at !== null,
    state: row.state,
    claimId: row.claim_id,
  }));
}

/** What becomes of a recipient after an attempt. */
export interface RecipientChange extends RecipientKey {
  state: 'pending' | 'done' | 'withdrawn';
  lastOutcome: Outcome;
  nextAttemptAt: Date | null;
  round: number;
  roundAttempts: number;
}

export async function writeRecipients(tx: Tx, changes: readonly RecipientChange[]): Promise<void> {
  if (changes.length === 0) return;
  const rows = changes.map((change) => ({
    organization_id: change.organizationId,
    campaign_id: change.campaignId,
    id: change.recipientId,
    state: change.state,
    last_outcome: change.lastOutcome,
    next_attempt_at: change.nextAttemptAt,
    round: change.round,
    round_attempts: change.roundAttempts,
  }));
  await sql`
    update campaign_recipients r
    set state = x.state, last_outcome = x.last_outcome, next_attempt_at = x.next_attempt_at, round = x.round,
        round_attempts = x.round_attempts, claim_id = null, claim_provider = null, lease_expires_at = null, slot_at = null
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as x(
      organization_id uuid, campaign_id uuid, id uuid, state text, last_outcome text, next_attempt_at timestamptz,
      round int, round_attempts int)
    where r.organization_id = x.organization_id and r.campaign_id = x.campaign_id and r.id = x.id`.execute(
    tx,
  );
}

/**
 * Takes back an attempt that the provider did not want now: the row of the call goes, the recipient is due again at
 * `retryAt`, no attempt is burned. A call that was made by itself waits for its line again. Null where the attempt is no
 * longer the caller's: it was placed again under a later gate.
 */
export async function takeBackAttempt(
  tx: Tx,
  args: { callId: string; gatedAt: Date; retryAt: Date; now: Date; queueTimeoutSeconds: number },
): Promise<{ heirs: LineHeirs } | null> {
  const { rows } = await sql<{
    organization_id: string;
    campaign_id: string | null;
    recipient_id: string | null;
    provider: string;
  }>`select organization_id, campaign_id, recipient_id, provider from calls
     where id = ${args.callId} and phase = 'placing' and accepted_at is null and gated_at = ${args.gatedAt} for update`.execute(
    tx,
  );
  const call = rows[0];
  if (!call) return null;
  if (call.recipient_id === null) {
    await sql`
      update calls set phase = 'queued', gated_at = null, check_at = null, slot_at = null, line_held = false,
        queue_deadline_at = created_at + ${args.queueTimeoutSeconds} * interval '1 second'
      where id = ${args.callId}`.execute(tx);
  } else {
    await sql`
      update campaign_recipients r
      set state = case when r.withdrawn_at is not null then 'withdrawn' else 'pending' end,
          next_attempt_at = case when r.withdrawn_at is null then ${args.retryAt}::timestamptz end,
          attempts = r.attempts - 1, round_attempts = r.round_attempts - 1,
          first_attempt_at = case when r.attempts > 1 then r.first_attempt_at end,
          claim_id = null, claim_provider = null, slot_at = null
      where r.organization_id = ${call.organization_id} and r.campaign_id = ${call.campaign_id}
        and r.id = ${call.recipient_id} and r.state = 'dialing' and r.claim_id = ${args.callId}`.execute(tx);
    await sql`delete from calls where id = ${args.callId}`.execute(tx);
  }
  const heirs = await releaseLines(
    tx,
    [
      {
        organizationId: call.organization_id,
        campaignId: call.campaign_id,
        provider: call.provider,
        count: 1,
      },
    ],
    args.now,
  );
  return { heirs };
}

/** What an adapter needs to ask about a call. */
export interface LiveCall {
  id: string;
  organizationId: string;
  campaignId: string | null;
  agentId: string;
  recipientId: string | null;
  attempt: number;
  provider: string;
  phase: CallPhase;
  toPhone: string;
  fromPhone: string | null;
  conversationId: string | null;
  recordingUrl: string | null;
  prompt: string;
  promptParams: Record<string, string>;
  meta: JsonObject;
  gatedAt: Date;
  acceptedAt: Date | null;
  answeredAt: Date | null;
  hangupRequestedAt: Date | null;
  now: Date;
}

/** Calls in progress by their ids; those that have ended or still wait for a line are left out. */
export async function findLiveCalls(db: Executor, ids: readonly string[]): Promise<LiveCall[]> {
  const { rows } = await sql<{
    id: string;
    organization_id: string;
    campaign_id: string | null;
    agent_id: string;
    recipient_id: string | null;
    attempt: number;
    provider: string;
    phase: CallPhase;
    phone_number: string;
    from_phone: string | null;
    conversation_id: string | null;
    recording_url: string | null;
    prompt: string;
    prompt_params: Record<string, string> | null;
    meta: JsonObject | null;
    gated_at: Date;
    accepted_at: Date | null;
    answered_at: Date | null;
    hangup_requested_at: Date | null;
    now: Date;
  }>`
    select c.id, c.organization_id, c.campaign_id, c.agent_id, c.recipient_id, c.attempt, c.provider, c.phase, c.phone_number,
      c.from_phone, c.conversation_id, c.recording_url, p.prompt, c.prompt_params, c.meta, c.gated_at, c.accepted_at,
      c.answered_at, c.hangup_requested_at, engine_now() as now
    from calls c join agent_prompts p on p.id = c.prompt_id
    where c.id = any(${ids}::uuid[]) and c.phase in ('placing', 'ringing', 'answered')`.execute(db);
  return rows.map((row) => ({
    id: row.id,
    organizationId: row.organization_id,
    campaignId: row.campaign_id,
    agentId: row.agent_id,
    recipientId: row.recipient_id,
    attempt: row.attempt,
    provider: row.provider,
    phase: row.phase,
    toPhone: row.phone_number,
    fromPhone: row.from_phone,
    conversationId: row.conversation_id,
    recordingUrl: row.recording_url,
    prompt: row.prompt,
    promptParams: row.prompt_params ?? {},
    meta: row.meta ?? {},
    gatedAt: row.gated_at,
    acceptedAt: row.accepted_at,
    answeredAt: row.answered_at,
    hangupRequestedAt: row.hangup_requested_at,
    now: row.now,
  }));
}

/** Takes the calls that should have been heard of by now, and puts their next check off, so that others leave them alone. */
export async function takeDueCallChecks(
  tx: Tx,
  args: { now: Date; nextCheckAt: Date; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with due as materialized (
      select id from calls where phase in ('placing', 'ringing', 'answered') and check_at <= ${args.now}
      order by check_at limit ${args.limit} for no key update skip locked)
    update calls c set check_at = ${args.nextCheckAt} from due where c.id = due.id returning c.id`.execute(
    tx,
  );
  return rows.map((row) => row.id);
}

/** Says when a live call is to be asked about again. */
export async function keepCallCheck(db: Executor, callId: string, checkAt: Date): Promise<void> {
  await sql`update calls set check_at = ${checkAt}
    where id = ${callId} and phase in ('placing', 'ringing', 'answered')`.execute(db);
}

export async function keepHangupRequest(db: Executor, callId: string, now: Date): Promise<void> {
  await sql`update calls set hangup_requested_at = coalesce(hangup_requested_at, ${now}) where id = ${callId}`.execute(
    db,
  );
}
