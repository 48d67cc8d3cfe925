import { setTimeout as sleep } from 'node:timers/promises';
import { latestSlotMs, organizationShare } from '@outdial/core';
import {
  findLineWaiters,
  lockLimits,
  lockPace,
  lockQueuedCall,
  inTransaction,
  saveNextSlots,
  saveQueuedCallSlot,
  loadAgentContext,
  passDirectCallGate,
  takeCallerIdForCall,
  readProviderContention,
  readQueuePlace,
  postgresCode,
  type AgentContext,
  type DirectTerms,
  type LineWaiters,
  type QueuedCall,
  type Tx,
} from '@outdial/db';
import { shareSlots } from '../pacing/share-slots.ts';
import { enqueueDirectCalls, enqueueLineWaiters } from '../enqueue.ts';
import { endQueuedCalls, type NeverPlaced } from '../progress/end-queued-calls.ts';
import { lookUpGraceMs } from '../timing.ts';
import type { SendDeps, Sent } from './gated-call.ts';
import { readDirectTerms } from './direct-terms.ts';
import { directReactions } from './gate-refusal.ts';
import { sendCall } from './send-call.ts';
import { inSpan } from '../spans.ts';

export type DirectPlaced =
  | { kind: 'sent'; sent: Sent }
  | { kind: 'canceled'; reason: string }
  /** Retried when the resource that it waits for is released, or by a sweep. */
  | { kind: 'waiting'; reason: string }
  | { kind: 'stale' };

const triesAtMost = 5;
/** For changes without a wake-up, such as the end of another call to the number, or an approaching slot. */
const retryMs = 500;
const longestRetryMs = 5_000;
/** A released line wakes the calls that wait for one. Polling would cause contention for the provider's row. */
const lineReasons: ReadonlySet<string> = new Set(['organization_line', 'provider_line']);
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
            toPhone: call.toPhone,
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
      case 'slot':
        await sleep(step.waitMs);
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
      case 'canceled':
      case 'stale':
        return step;
    }
  }
  deps.timers.set(`place ${callId}`, retryMs, () => enqueueDirectCalls(deps, [callId]));
  return { kind: 'waiting', reason: 'calls_per_second' };
}

type Step =
  | { kind: 'passed'; call: QueuedCall; agent: AgentContext; gatedAt: Date; fromPhone: string | null }
  | { kind: 'slot'; waitMs: number }
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

async function tryGate(deps: SendDeps, callId: string): Promise<Step> {
  try {
    const terms = await readDirectTerms(deps.db, callId);
    if (terms === null) return { kind: 'stale' };
    return await inTransaction(deps.db, (tx) => gateIn(tx, deps, callId, terms));
  } catch (error) {
    // The unique index reports that another call to this number went live meanwhile.
    if (postgresCode(error) === uniqueViolation) return { kind: 'waiting', reason: 'number_in_call' };
    throw error;
  }
}

async function gateIn(tx: Tx, deps: SendDeps, callId: string, terms: DirectTerms): Promise<Step> {
  const call = await lockQueuedCall(tx, callId, terms);
  if (!call) return { kind: 'stale' };
  const { now, refusal } = call;
  if (refusal !== null) {
    const reaction = directReactions[refusal];
    if (reaction.kind === 'stale') return reaction;
    if (reaction.kind === 'end') return cancel(tx, deps, call, reaction.reason);
    if (reaction.kind === 'wait') return { kind: 'waiting', reason: refusal };
  }
  if (refusal === 'no_slot' || refusal === 'slot_missed') {
    // Read before locking the provider's row: in a long queue, each call would wait so long for the row that it misses its slot.
    const { turnInMs } = await readQueuePlace(tx, call);
    if (turnInMs > 0) return waitsForSlot(turnInMs);
  }
  const limits = await lockLimits(tx, { organizationId: call.organizationId, provider: call.provider });
  if (!limits) return { kind: 'waiting', reason: 'provider' };
  const { organization, provider } = limits;
  if (provider.closedUntil !== null && provider.closedUntil > now) {
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
  const slot = await slotFor(tx, call);
  if (slot.kind !== 'now') return slot;
  const { organizationId, agentId } = call;
  const agent = await loadAgentContext(tx, { organizationId, agentId });
  if (!agent) throw new Error(`call ${callId} has no agent`);
  if (agent.hasCallerIds && !(await takeCallerIdForCall(tx, { organizationId, callId: call.id }))) {
    return { kind: 'waiting', reason: 'no_caller_id' };
  }
  const answer = await passDirectCallGate(tx, { callId, terms, lookUpGraceMs });
  // The deadline or the slot passed while the call waited for row locks.
  if ('refusal' in answer) return { kind: 'slot', waitMs: 1 };
  return { kind: 'passed', call, agent, ...answer };
}

function waitsForSlot(forMs: number): { kind: 'waiting'; reason: string; retryMs: number } {
  return { kind: 'waiting', reason: 'calls_per_second', retryMs: Math.min(longestRetryMs, Math.ceil(forMs)) };
}

/** The waiting campaigns and calls to which the free lines belong. */
async function wakeOthers(tx: Tx, call: QueuedCall, free: number): Promise<LineWaiters> {
  return findLineWaiters(tx, {
    organizations: [],
    providers: [call.provider],
    freed: free,
    now: call.now,
    except: { id: call.id, organizationId: call.organizationId },
  });
}

async function cancel(tx: Tx, deps: SendDeps, call: QueuedCall, reason: NeverPlaced): Promise<Step> {
  await endQueuedCalls(tx, deps, { callIds: [call.id], reason });
  return { kind: 'canceled', reason };
}

/** The call's slot if its provider has a pace: the current one, or the next free one. */
async function slotFor(
  tx: Tx,
  call: QueuedCall,
): Promise<
  { kind: 'now' } | { kind: 'slot'; waitMs: number } | { kind: 'waiting'; reason: string; retryMs: number }
> {
  if (call.refusal === null || call.refusal === 'no_caller_id') return { kind: 'now' };
  const pace = await lockPace(tx, { campaignId: null, provider: call.provider });
  const nowMs = pace.now.getTime();
  if (call.refusal === 'slot_to_come' && call.slotAt !== null) {
    // If the slot is further ahead than any new one, the clock was set back.
    if (call.slotAt.getTime() - nowMs <= latestSlotMs) return slotOrNow(call.slotAt, nowMs);
  }
  const { allotment, take } = await shareSlots(tx, { ...call, asks: 'direct_call' }, { ...pace, want: 1 });
  if (allotment === null) {
    if (call.slotAt !== null) await saveQueuedCallSlot(tx, call.id, null);
    return { kind: 'now' };
  }
  const [slotAt] = allotment.slots;
  await take(tx, slotAt === undefined ? 0 : 1);
  if (slotAt === undefined) return waitsForSlot(Math.max(retryMs, (await readQueuePlace(tx, call)).aheadMs));
  await saveQueuedCallSlot(tx, call.id, slotAt);
  await saveNextSlots(tx, { campaignId: null, provider: call.provider, ...allotment.next });
  return slotOrNow(slotAt, nowMs);
}

function slotOrNow(slotAt: Date, nowMs: number): { kind: 'now' } | { kind: 'slot'; waitMs: number } {
  const early = slotAt.getTime() - nowMs;
  return early > 0 ? { kind: 'slot', waitMs: early + 1 } : { kind: 'now' };
}
