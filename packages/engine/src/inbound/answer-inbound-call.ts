import {
  agentThatAnswers,
  type InboundAnswer,
  type InboundCall,
  type InboundRefusal,
  type TelephonyProvider,
  type InboundLimits,
  refusalOfFurtherCall,
  ConflictError,
} from '@outdial/core';
import {
  engineNow,
  findLastCallTo,
  findOwnerOfNumber,
  countInboundCalls,
  type Executor,
  findInboundCall,
  lockLineCaps,
  type NewInboundCall,
  type Tx,
  type Db,
  insertInboundCall,
  inTransaction,
  takeOrganizationLine,
  takeProviderLine,
  tryLockInboundCalls,
} from '@outdial/db';
import type { MediaChoice, MediaRuntimes } from '../deps.ts';
import { applyReports, type ProgressDeps } from '../progress/apply-reports.ts';
import { endedByUs } from '../progress/ended-by-us.ts';
import { lookUpGraceMs } from '../timing.ts';
import { type Candidate, candidate, promptOf } from './inbound-agent.ts';
import { moveCalls } from '../progress/move-calls.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { requireCallsLeft } from '../gate/quotas.ts';

type Carrier = Pick<TelephonyProvider, 'name' | 'media'>;

/**
 * Decides which agent answers an inbound call, or why none does. An answered call gets a row, its lines and a voice process. A refused caller
 * hears a busy signal. A refused call is recorded if its number belongs to an organization whose limits allow one more. Safe to repeat with
 * the same call of a carrier.
 */
export async function answerInboundCall(
  deps: InboundDeps,
  carrier: Carrier,
  call: InboundCall,
): Promise<InboundAnswer> {
  const answer = await decide(deps, carrier, call);
  if ('refused' in answer) {
    const { refused: reason, callId } = answer;
    deps.log.warn({ provider: carrier.name, call_id: callId, reason }, 'refused an inbound call');
    return { kind: 'refused', reason, isUnknownNumber: reason === 'number_unknown' };
  }
  return answer;
}

type Decided = (InboundAnswer & { kind: 'answered' }) | { refused: InboundRefusal; callId?: string };

async function decide(deps: InboundDeps, carrier: Carrier, call: InboundCall): Promise<Decided> {
  const { db } = deps;
  const calledNumber = call.toPhone;
  if (calledNumber === null) return { refused: 'number_unknown' };
  const owner = await findOwnerOfNumber(db, calledNumber);
  if (owner === null) return { refused: 'number_unknown' };
  const { organizationId, callerId, agentId: ownAgentId } = owner;
  const last =
    call.fromPhone === null
      ? null
      : await findLastCallTo(db, { organizationId, phoneNumber: call.fromPhone });
  const agent = agentThatAnswers({
    lastCalledBy: await candidate(db, organizationId, last?.agentId ?? null),
    ownOfNumber: await candidate(db, organizationId, ownAgentId),
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
  const begun = await beginInboundCall(deps, written, agent);
  if ('refused' in begun) {
    const callId = leavesRecord(begun)
      ? await saveRefusedCall(deps, written, { reason: begun.refused, limits: agent.context.limits.inbound })
      : null;
    return { refused: begun.refused, ...(callId !== null && { callId }) };
  }
  return connect(deps, carrier, { callId: begun.callId, agent });
}

async function connect(
  deps: InboundDeps,
  carrier: Carrier,
  { callId, agent }: { callId: string; agent: Candidate },
): Promise<Decided> {
  const { organization_id: organizationId, config, now } = agent.context;
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
  const refused =
    refusals.find((reason) => chosen.kind === 'wait' && reason === chosen.reason) ?? 'no_voice_process';
  const ended = endedByUs(await engineNow(deps.db), 'busy', refused);
  await applyReports(deps, [{ callId, withoutAcceptance: true, facts: [ended] }]);
  return { refused, callId };
}

/** Reasons of `MediaChoice` that the call's record names. */
const refusals: readonly InboundRefusal[] = [
  'no_voice_process',
  'voice_processes_full',
  'voice_endpoint_down',
  'voice_mode_not_carried',
  'voice_url_not_secure',
];

const unrecorded: ReadonlySet<InboundRefusal> = new Set(['caller_rate', 'number_rate', 'call_over']);

const leavesRecord = (begun: NotBegun): boolean =>
  begun.lockTimedOut !== true && !unrecorded.has(begun.refused);

/** Records a refused call; null if the limits allow no more records. */
async function saveRefusedCall(
  deps: ProgressDeps,
  call: NewInboundCall,
  { reason, limits }: { reason: InboundRefusal; limits: InboundLimits },
): Promise<string | null> {
  const mayRecord = async (executor: Executor): Promise<boolean> =>
    refusalOfFurtherCall(await countInboundCalls(executor, call), { ...limits, atATime: Infinity }) ===
      null && (await findInboundCall(executor, call)) === null;
  const { db } = deps;
  const recorded = await withInboundLock<{ id: string | null }>(db, call.organizationId, {
    before: async () => ((await mayRecord(db)) ? null : { id: null }),
    work: async (tx) => ({ id: (await mayRecord(tx)) ? await writeRefused(tx, deps, call, reason) : null }),
  });
  return recorded?.id ?? null;
}

async function writeRefused(
  tx: Tx,
  deps: ProgressDeps,
  call: NewInboundCall,
  reason: InboundRefusal,
): Promise<string | null> {
  await lockLineCaps(tx);
  const callId = await insertInboundCall(tx, call, { isRefused: true });
  if (callId === null) return null;
  const ended = endedByUs(await engineNow(tx), 'busy', reason);
  await moveCalls(tx, deps, [{ callId, whileQueued: true, withoutAcceptance: true, facts: [ended] }]);
  return callId;
}

interface InboundDeps extends ProgressDeps {
  /** Without it every call is refused. */
  mediaRuntimes?: MediaRuntimes;
}

interface NotBegun {
  refused: InboundRefusal;
  lockTimedOut?: true;
}
type Begun = { callId: string } | NotBegun;

/** Rolls the transaction back. */
class NotAnsweredError extends Error {
  readonly code: InboundRefusal;

  constructor(code: InboundRefusal) {
    super(`an inbound call is refused: ${code}`);
    this.name = 'NotAnsweredError';
    this.code = code;
  }
}

async function beginInboundCall(deps: InboundDeps, call: NewInboundCall, agent: Candidate): Promise<Begun> {
  try {
    const begun = await withInboundLock<Begun>(deps.db, call.organizationId, {
      before: () => judge(deps.db, call, agent),
      work: async (tx) => (await judge(tx, call, agent)) ?? (await beginIn(tx, deps, call, agent)),
    });
    return begun ?? { refused: 'too_many_inbound_calls', lockTimedOut: true };
  } catch (error) {
    if (error instanceof NotAnsweredError) return { refused: error.code };
    if (error instanceof ConflictError && error.code === 'quota_exceeded') {
      return { refused: 'quota_exceeded' };
    }
    throw error;
  }
}

/** Finds the call if the carrier has reported it before, or the reason to refuse it; else null. */
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
  // Before the call, as in gates: an insert waits for that of another call with the same number, which has locked these rows.
  if (!(await takeOrganizationLine(tx, organizationId))) throw new NotAnsweredError('no_line_free');
  if (!(await takeProviderLine(tx, { organizationId, provider }))) throw new NotAnsweredError('no_line_free');
  const callId = await insertInboundCall(tx, call);
  if (callId === null) throw new NotAnsweredError('number_in_call');
  const at = await engineNow(tx);
  const accepted = { conversationId: call.conversationId };
  await moveCalls(tx, deps, [
    { callId, accepted, facts: [{ kind: 'ringing', eventId: `${callId}:ringing`, at }] },
  ]);
  return { callId };
}

/** Takes about two seconds in all. */
const triesAtMost = 13;
const waitMs = 50;

/**
 * Runs `work` in a transaction with the lock for inbound calls of the organization; null if the lock stays busy. Polls, so that no connection
 * is held while waiting. `before` may settle the call without the lock before each try.
 */
async function withInboundLock<T>(
  db: Db,
  organizationId: string,
  { before, work }: { before: () => Promise<T | null>; work: (tx: Tx) => Promise<T> },
): Promise<T | null> {
  for (let tried = 1; tried <= triesAtMost; tried += 1) {
    const settled = await before();
    if (settled !== null) return settled;
    const done = await inTransaction(db, async (tx) =>
      (await tryLockInboundCalls(tx, organizationId)) ? { result: await work(tx) } : null,
    );
    if (done !== null) return done.result;
    await sleep(Math.random() * waitMs * tried);
  }
  return null;
}
