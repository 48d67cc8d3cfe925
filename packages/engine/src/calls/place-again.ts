import { setTimeout as sleep } from 'node:timers/promises';
import { dialingWindow, isFinalCampaignStatus } from '@outdial/core';
import {
  engineNow,
  lockPace,
  lockUnplacedCall,
  inTransaction,
  saveCallCheck,
  saveNextSlots,
  loadAgentContext,
  passRepeatGate,
  readProviderCircuit,
  undoAttempt,
  type LiveCall,
  type OpenWindow,
} from '@outdial/db';
import { allotPaces } from '../pacing/pace.ts';
import { enqueueLineWaiters } from '../enqueue.ts';
import { lookUpGraceMs } from '../timing.ts';
import type { PlaceDeps } from './place-campaign-call.ts';
import { sendCall } from './send-call.ts';

/** When the gate stays shut, how long until the call is looked up and tried again. */
const shutRetryMs = 10_000;
/**
 * A send that has not arrived by then never will: its signature is too old for the provider to take
 * (Standard Webhooks allows five minutes), and no connection lives that long without a word.
 */
const sendExpiresMs = 6 * 60_000;

/** `over`: it cannot be placed any more, since its campaign has ended. */
export type PlacedAgain = 'placed' | 'put_off' | 'taken_back' | 'over';

/**
 * Sends an attempt again that its provider says it never saw: the same row and the same id, through the gate once more.
 * Only for a provider that keeps its promise of idempotency, so that a first send which arrives late changes nothing.
 */
export async function placeAgain(deps: PlaceDeps, call: LiveCall): Promise<PlacedAgain> {
  const circuit = await readProviderCircuit(deps.db, call.provider);
  if (circuit?.closedUntil && circuit.closedUntil > circuit.now) {
    await saveCallCheck(deps.db, call.id, circuit.closedUntil);
    return 'put_off';
  }
  const slotAt = await takeSlot(deps, call);
  if (slotAt === 'none') return putOff(deps, call);
  if (slotAt !== null) {
    const now = await engineNow(deps.db);
    await sleep(Math.max(0, slotAt.getTime() - now.getTime() + 1));
  }
  const gateBeganAtMs = performance.now();
  const gatedAt = await gateAgain(deps, call, slotAt);
  if (gatedAt === null) return leaveShut(deps, call);
  const agent = await loadAgentContext(deps.db, {
    organizationId: call.organizationId,
    agentId: call.agentId,
  });
  if (!agent) throw new Error(`call ${call.id} has no agent`);
  deps.log.info(
    { call_id: call.id, campaign_id: call.campaignId },
    'the provider never saw the call; placed again',
  );
  await sendCall(deps, {
    pass: {
      callId: call.id,
      toPhone: call.toPhone,
      provider: call.provider,
      promptParams: call.promptParams,
      gatedAt,
      circuit,
    },
    organizationId: call.organizationId,
    agent,
    promptText: call.prompt,
    campaignId: call.campaignId,
    recipientId: call.recipientId,
    attempt: call.attempt,
    fromPhone: call.fromPhone,
    meta: call.meta,
    gateBeganAtMs,
    isRepeat: true,
  });
  return 'placed';
}

/** A campaign that is paused or outside its window must not hold a line for a call that never was. */
async function leaveShut(deps: PlaceDeps, call: LiveCall): Promise<PlacedAgain> {
  const context = call.campaignId === null ? null : await deps.contexts.get(call.campaignId);
  if (context && isFinalCampaignStatus(context.definition.status)) return 'over';
  const now = await engineNow(deps.db);
  if (now.getTime() - call.gatedAt.getTime() < sendExpiresMs) return putOff(deps, call);
  const back = await inTransaction(deps.db, (tx) =>
    undoAttempt(tx, {
      callId: call.id,
      gatedAt: call.gatedAt,
      retryAt: now,
      now,
      queueTimeoutSeconds: deps.settings.callQueueTimeoutSeconds,
    }),
  );
  if (!back) return 'put_off';
  await enqueueLineWaiters(deps, back.lineWaiters);
  return 'taken_back';
}

async function gateAgain(deps: PlaceDeps, call: LiveCall, slotAt: Date | null): Promise<Date | null> {
  const { campaignId } = call;
  if (campaignId !== null) deps.contexts.drop(campaignId);
  const context = campaignId === null ? null : await deps.contexts.get(campaignId);
  return inTransaction(deps.db, async (tx) => {
    const held = await lockUnplacedCall(tx, call.id);
    // Whoever was faster has placed it, or has heard of it.
    if (!held || held.gatedAt.getTime() !== call.gatedAt.getTime()) return null;
    if (campaignId === null)
      return passRepeatGate(tx, { callId: call.id, campaign: null, slotAt, lookUpGraceMs });
    if (!context) return null;
    const { definition } = context;
    const open = dialingWindow(definition.schedule, held.timezone, held.now);
    if (open.kind !== 'open') return null;
    const window: OpenWindow = { zone: held.timezone, opensAt: open.opensAt, closesAt: open.closesAt };
    const campaign = { id: campaignId, revision: definition.revision, window };
    return passRepeatGate(tx, { callId: call.id, campaign, slotAt, lookUpGraceMs });
  });
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

async function putOff(deps: PlaceDeps, call: LiveCall): Promise<PlacedAgain> {
  const now = await engineNow(deps.db);
  await saveCallCheck(deps.db, call.id, new Date(now.getTime() + shutRetryMs));
  return 'put_off';
}
