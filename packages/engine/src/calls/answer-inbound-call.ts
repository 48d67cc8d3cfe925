import { setTimeout as sleep } from 'node:timers/promises';
import { readAgentVoice } from '@outdial/contracts';
import {
  agentThatAnswers,
  type AnsweringAgent,
  ConflictError,
  type InboundAnswer,
  type InboundCall,
  type InboundLimits,
  type InboundRefusal,
  ownerOfNumber,
  paramsOfInboundCall,
  refusalOfFurtherCall,
  renderPrompt,
  type TelephonyProvider,
} from '@outdial/core';
import {
  type AgentContext,
  countInboundCalls,
  type Db,
  engineNow,
  type Executor,
  findInboundCall,
  findLastCallTo,
  findOwnersOfNumber,
  inTransaction,
  insertInboundCall,
  insertRefusedCall,
  type LastCallToPerson,
  loadAgentContext,
  lockLineCaps,
  type NewInboundCall,
  takeOrganizationLine,
  takeProviderLine,
  tryLockInboundCalls,
  type Tx,
  writeOutbox,
} from '@outdial/db';
import type { MediaChoice, MediaRuntimes } from '../deps.ts';
import { requireCallsLeft } from '../limits/quotas.ts';
import { applyReports, type ProgressDeps } from '../progress/apply-reports.ts';
import { moveCalls } from '../progress/move-calls.ts';
import { lookUpGraceMs } from '../timing.ts';

export interface InboundDeps extends ProgressDeps {
  /** Absent if there is no voice process: every call is refused then. */
  mediaRuntimes?: MediaRuntimes;
}

/** The provider through which a call comes in. */
type Carrier = Pick<TelephonyProvider, 'name' | 'media'>;

/** An agent and what it needs to answer. */
interface Candidate extends AnsweringAgent {
  context: AgentContext;
  prompt: { id: string; text: string };
}

/** Undoes what was written so far. */
class NotAnsweredError extends Error {
  readonly code: InboundRefusal;

  constructor(code: InboundRefusal) {
    super(`a call that comes in is not answered: ${code}`);
    this.name = 'NotAnsweredError';
    this.code = code;
  }
}

/**
 * Decides about an incoming call: which agent answers, or the reason for none. An answered call has a row, its lines and its place at a voice process. Of a refused
 * one the caller hears that the line is busy; it leaves a record where it is known whose number was called, and no more than the limits allow.
 * Safe to repeat with the same call of a carrier.
 */
export async function answerInboundCall(
  deps: InboundDeps,
  carrier: Carrier,
  call: InboundCall,
): Promise<InboundAnswer> {
  const answer = await decide(deps, carrier, call);
  if ('refused' in answer) {
    const { refused: reason, callId } = answer;
    deps.log.warn(
      { provider: carrier.name, call_id: callId, reason },
      'a call that came in was not answered',
    );
    return { kind: 'refused', reason, isUnknownNumber: reason === 'number_unknown' };
  }
  return answer;
}

type Decided = (InboundAnswer & { kind: 'answered' }) | { refused: InboundRefusal; callId?: string };

async function decide(deps: InboundDeps, carrier: Carrier, call: InboundCall): Promise<Decided> {
  const { db } = deps;
  const calledNumber = call.toPhone;
  if (calledNumber === null) return { refused: 'number_unknown' };
  const owned = await findOwnersOfNumber(db, { phoneNumber: calledNumber, callerNumber: call.fromPhone });
  const owner = ownerOfNumber(owned);
  if (owner === null) return { refused: 'number_unknown' };
  const { organizationId, callerId, agentId: ownAgentId } = owner;
  const last =
    call.fromPhone === null
      ? null
      : await findLastCallTo(db, { organizationId, phoneNumber: call.fromPhone });
  const agent = agentThatAnswers({
    lastCalledBy: await candidate(deps, organizationId, last?.agentId ?? null),
    ownOfNumber: await candidate(deps, organizationId, ownAgentId),
  });
  if (agent === null) return { refused: 'no_agent' };
  const written = {
    organizationId,
    agentId: agent.agentId,
    callerId,
    provider: carrier.name,
    ...promptOf(agent, { calledNumber, callerNumber: call.fromPhone, last, now: agent.context.now }),
    callerNumber: call.fromPhone,
    calledNumber,
    conversationId: call.conversationId,
    answerWithinSeconds: lookUpGraceMs / 1_000,
  };
  const begun = await begin(deps, written, agent);
  if ('refused' in begun) {
    const callId = leavesRecord(begun)
      ? await saveRefusedCall(deps, written, { reason: begun.refused, limits: agent.context.limits.inbound })
      : null;
    return { refused: begun.refused, ...(callId !== null && { callId }) };
  }
  return connect(deps, carrier, { callId: begun.callId, agent });
}

interface NotBegun {
  refused: InboundRefusal;
  hadNoTurn?: true;
}
type Begun = { callId: string } | NotBegun;

const unrecorded: ReadonlySet<InboundRefusal> = new Set(['caller_rate', 'number_rate', 'call_over']);

const leavesRecord = (begun: NotBegun): boolean => begun.hadNoTurn !== true && !unrecorded.has(begun.refused);

/** Null if there is no such agent. */
async function candidate(
  { db }: InboundDeps,
  organizationId: string,
  agentId: string | null,
): Promise<Candidate | null> {
  const context = agentId === null ? null : await loadAgentContext(db, { organizationId, agentId });
  if (context === null || agentId === null || context.prompt === null) return null;
  const canTalk = !context.isDeleted && readAgentVoice(context.config, null).kind === 'voice';
  return { agentId, canTalk, context, prompt: context.prompt };
}

function promptOf(
  agent: Candidate,
  args: { calledNumber: string; callerNumber: string | null; last: LastCallToPerson | null; now: Date },
): Pick<NewInboundCall, 'promptId' | 'promptParams' | 'events'> {
  const { last } = args;
  // Values of another agent's prompt say nothing to this one.
  const earlier =
    last === null ? null : { ...last, promptParams: last.agentId === agent.agentId ? last.promptParams : {} };
  const promptParams = paramsOfInboundCall({ ...args, earlier });
  const at = args.now.toISOString();
  const { missing } = renderPrompt(agent.prompt.text, promptParams);
  return {
    promptId: agent.prompt.id,
    promptParams,
    events: [
      { type: 'called_in', at, called_number: args.calledNumber },
      ...(missing.length > 0 ? [{ type: 'prompt_placeholder_missing', at, names: missing }] : []),
    ],
  };
}

/** So often a call looks whether it is its turn among those that come in to its organization: for two seconds or so. */
const looksAtMost = 13;
const waitMs = 50;

/**
 * Does the work alone among calls that come in to the organization; null if it was not its turn for too long. No connection is held in between, and `before`, which
 * takes no lock, may settle it at every look.
 */
async function inTurn<T>(
  db: Db,
  organizationId: string,
  { before, work }: { before: () => Promise<T | null>; work: (tx: Tx) => Promise<T> },
): Promise<T | null> {
  for (let look = 1; look <= looksAtMost; look += 1) {
    const settled = await before();
    if (settled !== null) return settled;
    const done = await inTransaction(db, async (tx) =>
      (await tryLockInboundCalls(tx, organizationId)) ? { result: await work(tx) } : null,
    );
    if (done !== null) return done.result;
    await sleep(Math.random() * waitMs * look);
  }
  return null;
}

/** Writes the call with its lines, in one transaction: all of it, or none. */
async function begin(deps: InboundDeps, call: NewInboundCall, agent: Candidate): Promise<Begun> {
  try {
    const begun = await inTurn<Begun>(deps.db, call.organizationId, {
      before: () => judge(deps.db, call, agent),
      work: async (tx) => (await judge(tx, call, agent)) ?? (await beginIn(tx, deps, call, agent)),
    });
    return begun ?? { refused: 'too_many_inbound_calls', hadNoTurn: true };
  } catch (error) {
    if (error instanceof NotAnsweredError) return { refused: error.code };
    if (error instanceof ConflictError && error.code === 'quota_exceeded') {
      return { refused: 'quota_exceeded' };
    }
    throw error;
  }
}

/** The call, if the carrier told of it before, or why there may be no further one; else null. */
async function judge(db: Executor, call: NewInboundCall, { context }: Candidate): Promise<Begun | null> {
  const before = await findInboundCall(db, call);
  if (before !== null) return before.isOver ? { refused: 'call_over' } : { callId: before.id };
  const refused = refusalOfFurtherCall(await countInboundCalls(db, call), context.limits.inbound);
  return refused === null ? null : { refused };
}

async function beginIn(
  tx: Tx,
  deps: InboundDeps,
  call: NewInboundCall,
  agent: Candidate,
): Promise<{ callId: string }> {
  const { organizationId, provider } = call;
  await lockLineCaps(tx);
  await requireCallsLeft(tx, organizationId, agent.context.limits);
  const callId = await insertInboundCall(tx, call);
  if (callId === null) throw new NotAnsweredError('number_in_call');
  const at = await engineNow(tx);
  const accepted = { conversationId: call.conversationId };
  await moveCalls(tx, deps.settings, [
    { callId, accepted, facts: [{ kind: 'ringing', eventId: `${callId}:ringing`, at }] },
  ]);
  if (!(await takeOrganizationLine(tx, organizationId))) throw new NotAnsweredError('no_line_free');
  if (!(await takeProviderLine(tx, { organizationId, provider }))) throw new NotAnsweredError('no_line_free');
  return { callId };
}

/** Leaves a record of a call that was not answered; null if there are as many as the limits allow. */
async function saveRefusedCall(
  { db }: InboundDeps,
  call: NewInboundCall,
  { reason, limits }: { reason: InboundRefusal; limits: InboundLimits },
): Promise<string | null> {
  const mayBeKept = async (executor: Executor): Promise<boolean> =>
    refusalOfFurtherCall(await countInboundCalls(executor, call), { ...limits, atATime: Infinity }) ===
      null && (await findInboundCall(executor, call)) === null;
  const kept = await inTurn<{ id: string | null }>(db, call.organizationId, {
    before: async () => ((await mayBeKept(db)) ? null : { id: null }),
    work: async (tx) => ({ id: (await mayBeKept(tx)) ? await writeRefused(tx, call, reason) : null }),
  });
  return kept?.id ?? null;
}

async function writeRefused(tx: Tx, call: NewInboundCall, reason: InboundRefusal): Promise<string> {
  const { id, endedAt } = await insertRefusedCall(tx, { ...call, reason });
  const at = endedAt.toISOString();
  const data = {
    attempt: 1,
    status: 'other' as const,
    outcome: 'busy' as const,
    started_at: at,
    ended_at: at,
    duration: 0,
    external_status: reason,
  };
  const of = { organizationId: call.organizationId, campaignId: null, recipientId: null, callId: id };
  await writeOutbox(tx, [{ type: 'call.ended', ...of, data }], endedAt);
  return id;
}

/** Takes a place at a voice process, or ends the call. */
async function connect(
  deps: InboundDeps,
  carrier: Carrier,
  { callId, agent }: { callId: string; agent: Candidate },
): Promise<Decided> {
  const { organizationId, config, now } = agent.context;
  const support = carrier.media ?? { text: false, secureOnly: false };
  const chosen: MediaChoice = (await deps.mediaRuntimes?.choose({
    callId,
    organizationId,
    config,
    now,
    support,
  })) ?? { kind: 'none' };
  if (chosen.kind === 'chosen') {
    const { ringTimeoutSeconds, maxCallSeconds } = deps.settings;
    return {
      kind: 'answered',
      callId,
      agentId: agent.agentId,
      runtime: chosen.runtime,
      longestSeconds: ringTimeoutSeconds + maxCallSeconds,
    };
  }
  const reason = chosen.kind === 'wait' ? refusals.get(chosen.reason) : undefined;
  const refused = reason ?? 'no_voice_process';
  const at = await engineNow(deps.db);
  const details = { externalStatus: refused };
  await applyReports(deps, [
    {
      callId,
      withoutAcceptance: true,
      facts: [{ kind: 'ended', eventId: null, at, outcome: 'busy', details }],
    },
  ]);
  return { refused, callId };
}

/** Why voice processes take no call, as the record of the call says it. */
const refusals: ReadonlyMap<string, InboundRefusal> = new Map(
  (
    [
      'no_voice_process',
      'voice_processes_full',
      'voice_endpoint_down',
      'voice_mode_not_carried',
      'voice_url_not_secure',
    ] as const
  ).map((reason) => [reason, reason]),
);
