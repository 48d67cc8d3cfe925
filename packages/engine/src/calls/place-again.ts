import { setTimeout as sleep } from 'node:timers/promises';
import { isFinalCampaignStatus } from '@outdial/core';
import {
  engineNow,
  lockPace,
  inTransaction,
  saveCallCheck,
  saveNextSlots,
  loadAgentContext,
  passRepeatGate,
  readProviderCircuit,
  undoAttempt,
  type GateReason,
  type LiveCall,
  type RepeatAnswer,
} from '@outdial/db';
import { allotPaces } from '../pacing/pace.ts';
import { enqueueLineWaiters } from '../enqueue.ts';
import { isAllowedDestination } from '../limits/destinations.ts';
import { lookUpGraceMs } from '../timing.ts';
import { campaignTerms } from './campaign-terms.ts';
import { readDirectTerms } from './direct-terms.ts';
import { openWindows } from './gate-batcher.ts';
import type { PlaceDeps } from './place-campaign-call.ts';
import { sendCall } from './send-call.ts';

/** When to look up a call again that its gate refused. */
const refusedRetryMs = 10_000;
/**
 * A send that has not arrived by then never will: providers reject its signature as too old (Standard Webhooks allows five minutes), and no
 * connection is silent for so long.
 */
const sendExpiresMs = 6 * 60_000;

/** A call that misses this many slots is deferred. */
const slotsAtMost = 8;

/** `over`: the campaign has ended. */
export type PlacedAgain = 'placed' | 'deferred' | 'undone' | 'over';

/**
 * Passes the gate again and repeats a send that never arrived, with the same row and id. Only for providers with lasting idempotency, so that
 * a late arrival of the first send has no effect.
 */
export async function placeAgain(deps: PlaceDeps, call: LiveCall): Promise<PlacedAgain> {
  const circuit = await readProviderCircuit(deps.db, call.provider);
  if (circuit?.closedUntil && circuit.closedUntil > circuit.now) {
    await saveCallCheck(deps.db, call.id, circuit.closedUntil);
    return 'deferred';
  }
  const gate = await passWithSlot(deps, call);
  if (gate.kind === 'no_slot') return deferOrUndo(deps, call, 'no_slot');
  const { answer, gateBeganAtMs } = gate;
  if (answer.kind === 'refused') return deferOrUndo(deps, call, answer.reason);
  const agent = await loadAgentContext(deps.db, {
    organizationId: call.organizationId,
    agentId: call.agentId,
  });
  if (!agent) throw new Error(`call ${call.id} has no agent`);
  deps.log.info(
    { call_id: call.id, campaign_id: call.campaignId },
    'the provider never received the call; sending it again',
  );
  await sendCall(deps, {
    pass: {
      callId: call.id,
      toPhone: call.toPhone,
      fromPhone: call.fromPhone,
      provider: call.provider,
      promptParams: call.promptParams,
      place: call.place,
      gatedAt: answer.gatedAt,
      circuit,
    },
    organizationId: call.organizationId,
    agent,
    promptText: call.prompt,
    campaignId: call.campaignId,
    recipientId: call.recipientId,
    attempt: call.attempt,
    meta: call.meta,
    gateBeganAtMs,
    isRepeat: true,
  });
  return 'placed';
}

/**
 * Passes the gate in a slot if the call is paced. A busy worker that misses a slot takes the next one at once, as for a first placement. If it
 * waited for the next look-up instead, the call would hold its line for minutes.
 */
async function passWithSlot(
  deps: PlaceDeps,
  call: LiveCall,
): Promise<{ kind: 'no_slot' } | { kind: 'asked'; answer: RepeatAnswer; gateBeganAtMs: number }> {
  for (let tried = 1; ; tried++) {
    const slotAt = await takeSlot(deps, call);
    if (slotAt === 'none') return { kind: 'no_slot' };
    if (slotAt !== null) {
      const now = await engineNow(deps.db);
      await sleep(Math.max(0, slotAt.getTime() - now.getTime() + 1));
    }
    const gateBeganAtMs = performance.now();
    const answer = await gateAgain(deps, call, slotAt);
    if (answer.kind === 'refused') deps.metrics.gateRefused(answer.reason);
    const isMissed = answer.kind === 'refused' && answer.reason === 'slot_missed';
    if (!isMissed || tried === slotsAtMost) return { kind: 'asked', answer, gateBeganAtMs };
  }
}

/** Defers the call while its first send may still arrive. After that, undoes the attempt, so that the call does not hold a line. */
async function deferOrUndo(deps: PlaceDeps, call: LiveCall, reason: GateReason): Promise<PlacedAgain> {
  // Another worker has placed the call, or has received an event about it.
  if (reason === 'stale') return 'deferred';
  const context = call.campaignId === null ? null : await deps.contexts.get(call.campaignId);
  if (context && isFinalCampaignStatus(context.definition.status)) return 'over';
  const now = await engineNow(deps.db);
  if (now.getTime() - call.gatedAt.getTime() < sendExpiresMs) {
    await saveCallCheck(deps.db, call.id, new Date(now.getTime() + refusedRetryMs));
    return 'deferred';
  }
  const undone = await inTransaction(deps.db, (tx) =>
    undoAttempt(tx, {
      callId: call.id,
      gatedAt: call.gatedAt,
      retryAt: now,
      now,
      queueTimeoutSeconds: deps.settings.callQueueTimeoutSeconds,
      why: reason,
    }),
  );
  if (!undone) return 'deferred';
  await enqueueLineWaiters(deps, undone.lineWaiters);
  return 'undone';
}

async function gateAgain(deps: PlaceDeps, call: LiveCall, slotAt: Date | null): Promise<RepeatAnswer> {
  const { id: callId, campaignId, gatedAt } = call;
  if (campaignId === null) {
    const direct = await readDirectTerms(deps.db, callId);
    if (!direct) throw new Error(`call ${callId} is gone`);
    return passRepeatGate(deps.db, { callId, gatedAt, campaign: null, direct, slotAt, lookUpGraceMs });
  }
  deps.contexts.drop(campaignId);
  const context = await deps.contexts.get(campaignId);
  if (!context) throw new Error(`call ${callId} has no campaign`);
  const { definition, agent } = context;
  const campaign = {
    ...campaignTerms(definition, await openWindows(deps.db, definition, context.estimateNow())),
    isAllowedDestination: isAllowedDestination(call.toPhone, agent.limits),
  };
  return passRepeatGate(deps.db, { callId, gatedAt, campaign, direct: null, slotAt, lookUpGraceMs });
}

async function takeSlot(deps: PlaceDeps, call: LiveCall): Promise<Date | null | 'none'> {
  return inTransaction(deps.db, async (tx) => {
    const pace = await lockPace(tx, { campaignId: call.campaignId, provider: call.provider });
    const allotment = allotPaces({ ...pace, want: 1 });
    if (allotment === null) return null;
    const [slotAt] = allotment.slots;
    if (slotAt === undefined) return 'none';
    await saveNextSlots(tx, { campaignId: call.campaignId, provider: call.provider, ...allotment.next });
    return slotAt;
  });
}
