import { setTimeout as sleep } from 'node:timers/promises';
import { organizationShare, paceAllowance } from '@outdial/core';
import {
  type AgentContext,
  type CallAtGate,
  findLineWaiters,
  type GateReason,
  judgeCall,
  lanesOf,
  type LineWaiters,
  loadAgentContext,
  lockCall,
  lockLimits,
  lockLineCaps,
  mayTakeCallerId,
  passCallGate,
  postgresCode,
  postponeQueuedCall,
  readProviderContention,
  readQueuePlace,
  type ReasonOfCampaign,
  rowOfSend,
  savePace,
  takeCallerIdForCall,
  takeSharedLines,
  toLane,
  type Tx,
} from '@outdial/db';
import { enqueueDirectCalls, enqueueLineWaiters } from '../enqueue.ts';
import { endQueuedCalls, type NeverPlaced } from '../progress/end-queued-calls.ts';
import { lookUpGraceMs, mediaRetryMs } from '../timing.ts';
import type { SendDeps, Sent } from '../send/gated-call.ts';
import { readCallTerms } from '../gate/call-terms.ts';
import { inGate } from '../gate/gate-grounds.ts';
import { sendCall } from '../send/send-call.ts';
import { inSpan } from '../spans.ts';

export type DirectPlaced =
  | { kind: 'sent'; sent: Sent }
  | { kind: 'canceled'; reason: string }
  /** Retried when the resource that it waits for is released, or by a sweep. */
  | { kind: 'waiting'; reason: string }
  | { kind: 'stale' };

const triesAtMost = 5;
/** For changes without a wake-up, such as the end of another call to the number, or an approaching turn. */
const retryMs = 500;
const longestRetryMs = 5_000;
/** A released line wakes the calls that wait for one. Polling would cause contention for the provider's row. */
const lineReasons: ReadonlySet<string> = new Set(['organization_line', 'provider_line']);
/** How long a call that waits for neither a line nor the pace gives way to others: longer than until its next try, for which it need not be over. */
const giveWayMs = 3_000;
const uniqueViolation = '23505';

/** Passes the gate with a direct call if a line is free, and sends it. Direct calls go before campaign calls. */
export async function placeDirectCall(deps: SendDeps, callId: string): Promise<DirectPlaced> {
  for (let tried = 0; tried < triesAtMost; tried++) {
    const gateBeganAtMs = performance.now();
    const step = await gateInSpan(deps, callId);
    switch (step.kind) {
      case 'passed': {
        const { call, agent } = step;
        const sent = await sendCall(deps, {
          pass: {
            callId,
            toPhone: call.phoneNumber,
            fromPhone: step.fromPhone,
            provider: call.provider,
            promptParams: call.promptParams,
            place: {},
            gatedAt: step.gatedAt,
            circuit: null,
          },
          organizationId: call.organizationId,
          agent,
          promptText: call.promptText,
          campaignId: null,
          recipientId: null,
          attempt: 1,
          meta: call.meta,
          gateBeganAtMs,
        });
        return { kind: 'sent', sent };
      }
      case 'again':
        await sleep(1);
        break;
      case 'waiting':
        deps.metrics.gateRefused(step.reason);
        if (step.lineWaiters) await enqueueLineWaiters(deps, step.lineWaiters);
        if (!lineReasons.has(step.reason)) {
          deps.timers.set(`place ${callId}`, step.retryMs ?? retryMs, () =>
            enqueueDirectCalls(deps, [callId]),
          );
        }
        return { kind: 'waiting', reason: step.reason };
      case 'held':
        deps.timers.set(`place ${callId}`, retryMs, () => enqueueDirectCalls(deps, [callId]));
        return { kind: 'waiting', reason: 'held' };
      case 'canceled':
      case 'stale':
        return step;
    }
  }
  deps.timers.set(`place ${callId}`, retryMs, () => enqueueDirectCalls(deps, [callId]));
  return { kind: 'waiting', reason: 'calls_per_second' };
}

type Step =
  | { kind: 'passed'; call: CallAtGate; agent: AgentContext; gatedAt: Date; fromPhone: string | null }
  | { kind: 'again' }
  | { kind: 'held'; organizationId: string }
  | { kind: 'waiting'; reason: string; lineWaiters?: LineWaiters; retryMs?: number }
  | { kind: 'canceled'; reason: string }
  | { kind: 'stale' };

function gateInSpan(deps: SendDeps, callId: string): Promise<Step> {
  return inSpan('gate', { attributes: { 'outdial.call_id': callId } }, async (span) => {
    const step = await tryGate(deps, callId);
    span.setAttribute('outdial.gate', 'reason' in step ? step.reason : step.kind);
    return step;
  });
}

/** A call whose organization is being changed waits for that if no other of its calls does, and otherwise asks again later. */
async function tryGate(deps: SendDeps, callId: string): Promise<Step> {
  const step = await gate(deps, callId, { waits: false });
  if (step.kind !== 'held') return step;
  const endTurn = deps.held.takeNow(step.organizationId);
  if (endTurn === null) return step;
  try {
    return await gate(deps, callId, { waits: true });
  } finally {
    endTurn();
  }
}

async function gate(deps: SendDeps, callId: string, options: { waits: boolean }): Promise<Step> {
  try {
    return await inGate(deps.db, (tx) => gateIn(tx, deps, callId, options));
  } catch (error) {
    // The unique index reports that another call to this number went live meanwhile.
    if (postgresCode(error) === uniqueViolation) return { kind: 'waiting', reason: 'number_in_call' };
    throw error;
  }
}

async function gateIn(tx: Tx, deps: SendDeps, callId: string, options: { waits: boolean }): Promise<Step> {
  await lockLineCaps(tx);
  const call = await lockCall(tx, callId, options);
  if (!call) return { kind: 'stale' };
  if ('heldOf' in call) return { kind: 'held', organizationId: call.heldOf };
  const step = await passLocked(tx, deps, call);
  if (step.kind === 'waiting') {
    const isInLine = lineReasons.has(step.reason) || step.reason === 'calls_per_second';
    await postponeQueuedCall(tx, callId, isInLine ? null : new Date(call.now.getTime() + giveWayMs));
  }
  return step;
}

async function passLocked(tx: Tx, deps: SendDeps, call: CallAtGate): Promise<Step> {
  const { id: callId, organizationId, agentId } = call;
  const terms = await readCallTerms(tx, call, { isSent: true });
  const gate = { callId, terms, sentAt: null };
  // What forbids a call need not wait for lines.
  const refusal = await judgeCall(tx, callId, { terms, row: rowOfSend({ ...gate, paceLeft: null }) });
  if (refusal !== null) {
    const reaction = directReactions[refusal] ?? wait;
    if (reaction.kind === 'stale') return reaction;
    if (reaction.kind === 'end') return cancel(tx, deps, call, reaction.reason);
    if (reaction.kind === 'wait') return { kind: 'waiting', reason: refusal };
  }
  if (call.isPaced) {
    // Read before locking the provider's row, for which each call of a long queue would wait.
    const { turnInMs } = await readQueuePlace(tx, call);
    if (turnInMs > 0) return waitsForPace(turnInMs);
  }
  // Before the pace, of which a call that then waits would use up a turn each time.
  if ((await deps.mediaRuntimes?.freeCapacity(tx, call)) === 0) {
    return { kind: 'waiting', reason: 'media_runtime', retryMs: mediaRetryMs };
  }
  // All that is left is that it lacks a caller id. Before the lines, of which a call that then waits would keep one from others each time.
  if (refusal !== null && !(await mayTakeCallerId(tx, { organizationId, callId }))) {
    return { kind: 'waiting', reason: refusal };
  }
  const limits = await lockLimits(tx, { organizationId, provider: call.provider });
  if (!limits) return { kind: 'waiting', reason: 'provider' };
  const { organization, provider } = limits;
  if (provider.closedUntil !== null && provider.closedUntil > call.now) {
    return { kind: 'waiting', reason: 'provider' };
  }
  if (organization.max !== null && organization.inUse >= organization.max) {
    return { kind: 'waiting', reason: 'organization_line' };
  }
  if (provider.max !== null) {
    const free = provider.max - provider.inUse;
    if (free <= 0) return { kind: 'waiting', reason: 'provider_line' };
    const { own, others } = await readProviderContention(tx, { ...call, now: limits.now });
    // The free lines belong to organizations that have used less.
    if (organizationShare(own, others, free) === 0) {
      return { kind: 'waiting', reason: 'provider_line', lineWaiters: await wakeOthers(tx, call, free) };
    }
  }
  const lanes = { campaign: null, provider: toLane(provider.callsPerSecond, provider.pace) };
  const paced = paceAllowance({ now: limits.now, want: 1, lanes: lanesOf(lanes) });
  if (paced.waitUntil !== null) {
    const { aheadMs } = await readQueuePlace(tx, call);
    return waitsForPace(Math.max(paced.waitUntil.getTime() - limits.now.getTime(), aheadMs));
  }
  const agent = await loadAgentContext(tx, { organizationId, agentId });
  if (!agent) throw new Error(`call ${callId} has no agent`);
  if (agent.has_caller_ids && !(await takeCallerIdForCall(tx, { organizationId, callId }))) {
    return { kind: 'waiting', reason: 'no_caller_id' };
  }
  const paceLeft = lanes.provider === null ? null : paced.take;
  const answer = await passCallGate(tx, { ...gate, paceLeft, lookUpGraceMs });
  // The deadline passed while the call waited for row locks.
  if ('refusal' in answer) return { kind: 'again' };
  await takeSharedLines(tx, { organizationId, provider: call.provider, capacity: limits, count: 1 });
  await savePace(tx, { campaignId: null, provider: call.provider }, lanes, { at: answer.gatedAt, count: 1 });
  return { kind: 'passed', call, agent, ...answer };
}

function waitsForPace(forMs: number): { kind: 'waiting'; reason: string; retryMs: number } {
  return { kind: 'waiting', reason: 'calls_per_second', retryMs: Math.min(longestRetryMs, Math.ceil(forMs)) };
}

/** The waiting campaigns and calls to which the free lines belong. */
async function wakeOthers(tx: Tx, call: CallAtGate, free: number): Promise<LineWaiters> {
  return findLineWaiters(tx, {
    organizations: [],
    providers: [call.provider],
    freed: free,
    now: call.now,
    except: { ids: [call.id], organizationId: call.organizationId },
  });
}

async function cancel(tx: Tx, deps: SendDeps, call: CallAtGate, reason: NeverPlaced): Promise<Step> {
  await endQueuedCalls(tx, deps, { callIds: [call.id], reason });
  return { kind: 'canceled', reason };
}

type DirectReaction =
  | { kind: 'stale' }
  /** Asks the gate again later, until its deadline. */
  | { kind: 'wait' }
  /** Gets the caller id that it lacks. */
  | { kind: 'resolve' }
  | { kind: 'end'; reason: NeverPlaced };

const wait: DirectReaction = { kind: 'wait' };

/** What a direct call does. */
const directReactions: Record<Exclude<GateReason, ReasonOfCampaign>, DirectReaction> &
  Partial<Record<ReasonOfCampaign, DirectReaction>> = {
  stale: { kind: 'stale' },
  suppressed: { kind: 'end', reason: 'suppressed' },
  no_consent: { kind: 'end', reason: 'no_consent' },
  scrub_outdated: wait,
  on_scrub_list: { kind: 'end', reason: 'on_scrub_list' },
  number_refused: { kind: 'end', reason: 'number_refused' },
  number_unchecked: wait,
  calling_hours: wait,
  person_capped: wait,
  no_line_in_time: { kind: 'end', reason: 'no_line_in_time' },
  number_in_call: wait,
  calls_per_second: wait,
  no_caller_id: { kind: 'resolve' },
};
