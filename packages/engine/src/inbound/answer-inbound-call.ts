import {
  agentThatAnswers,
  type InboundAnswer,
  type InboundCall,
  type InboundRefusal,
  type TelephonyProvider,
  type InboundLimits,
  refusalOfFurtherCall,
} from '@outdial/core';
import {
  engineNow,
  findLastCallTo,
  findOwnerOfNumber,
  countInboundCalls,
  type Executor,
  findInboundCall,
  insertRefusedCall,
  lockLineCaps,
  type NewInboundCall,
  type Tx,
} from '@outdial/db';
import type { MediaChoice } from '../deps.ts';
import { applyReports, type ProgressDeps } from '../progress/apply-reports.ts';
import { endedByUs } from '../progress/ended-by-us.ts';
import { lookUpGraceMs } from '../timing.ts';
import { beginInboundCall, type InboundDeps, type NotBegun, withInboundLock } from './begin-inbound-call.ts';
import { type Candidate, candidate, promptOf } from './inbound-agent.ts';
import { moveCalls } from '../progress/move-calls.ts';

/** The provider of an inbound call. */
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

/** Assigns a voice process, or ends the call. */
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
): Promise<string> {
  await lockLineCaps(tx);
  const callId = await insertRefusedCall(tx, call);
  const ended = endedByUs(await engineNow(tx), 'busy', reason);
  await moveCalls(tx, deps, [{ callId, whileQueued: true, withoutAcceptance: true, facts: [ended] }]);
  return callId;
}
