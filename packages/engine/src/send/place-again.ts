import { setTimeout as sleep } from 'node:timers/promises';
import { isFinalCampaignStatus, paceAllowance } from '@outdial/core';
import {
  engineNow,
  saveCallCheck,
  lanesOf,
  loadAgentContext,
  loadCampaignDefinition,
  lockCall,
  lockPace,
  passCallGate,
  readProviderCircuit,
  savePace,
  type GateReason,
  type LiveCall,
} from '@outdial/db';
import { enqueueLineWaiters } from '../enqueue.ts';
import { readCallTerms } from '../gate/call-terms.ts';
import { inGate } from '../gate/gate-grounds.ts';
import { lookUpGraceMs } from '../timing.ts';
import type { SendDeps } from './gated-call.ts';
import { sendCall } from './send-call.ts';
import { undoInTurn } from './undo-in-turn.ts';

/** When to look up a call again that its gate refused. */
const refusedRetryMs = 10_000;
/**
 * A send that has not arrived by then never will: providers reject its signature as too old (Standard Webhooks allows five minutes), and no
 * connection is silent for so long.
 */
const sendExpiresMs = 6 * 60_000;

/** A call that finds no room in the pace this many times is deferred. */
const triesAtMost = 8;
const longestWaitMs = 2_000;

/** `over`: the campaign has ended. */
export type PlacedAgain = 'placed' | 'deferred' | 'undone' | 'over';

/**
 * Passes the gate again and repeats a send that never arrived, with the same row and id. Only for providers with lasting idempotency, so that
 * a late arrival of the first send has no effect.
 */
export async function placeAgain(deps: SendDeps, call: LiveCall): Promise<PlacedAgain> {
  const circuit = await readProviderCircuit(deps.db, call.provider);
  if (circuit?.closedUntil && circuit.closedUntil > circuit.now) {
    await saveCallCheck(deps.db, call.id, circuit.closedUntil);
    return 'deferred';
  }
  const { answer, gateBeganAtMs } = await passInPace(deps, call);
  if (answer.kind === 'refused') return deferOrUndo(deps, call, answer.reason);
  const agent = await loadAgentContext(deps.db, {
    organizationId: call.organization_id,
    agentId: call.agent_id,
  });
  if (!agent) throw new Error(`call ${call.id} has no agent`);
  deps.log.info(
    { call_id: call.id, campaign_id: call.campaign_id },
    'the provider never received the call; sending it again',
  );
  await sendCall(deps, {
    pass: {
      callId: call.id,
      toPhone: call.phone_number,
      fromPhone: call.from_phone,
      provider: call.provider,
      promptParams: call.prompt_params,
      place: call.place,
      gatedAt: answer.gatedAt,
      circuit,
    },
    organizationId: call.organization_id,
    agent,
    promptText: call.prompt,
    campaignId: call.campaign_id,
    recipientId: call.recipient_id,
    attempt: call.attempt,
    meta: call.meta,
    gateBeganAtMs,
    isRepeat: true,
  });
  return 'placed';
}

/**
 * Passes the gate when the calls per second leave room. A call that finds none asks again then, a few times: if it waited for the next look-up instead, it
 * would hold its line for minutes.
 */
async function passInPace(
  deps: SendDeps,
  call: LiveCall,
): Promise<{ answer: RepeatAnswer; gateBeganAtMs: number }> {
  for (let tried = 1; ; tried++) {
    const gateBeganAtMs = performance.now();
    const answer = await gateInTurn(deps, call);
    if (answer.kind === 'passed') return { answer, gateBeganAtMs };
    deps.metrics.gateRefused(answer.reason);
    const isPaced = answer.reason === 'calls_per_second' && answer.waitUntil !== null;
    if (!isPaced || tried === triesAtMost) return { answer, gateBeganAtMs };
    const waitMs = (answer.waitUntil?.getTime() ?? 0) - answer.now.getTime();
    await sleep(Math.min(Math.max(1, waitMs), longestWaitMs));
  }
}

/** Defers the call while its first send may still arrive. After that, undoes the attempt, so that the call does not hold a line. */
async function deferOrUndo(deps: SendDeps, call: LiveCall, reason: GateReason): Promise<PlacedAgain> {
  // Another worker has placed the call, or has received an event about it.
  if (reason === 'stale') return 'deferred';
  const campaign = call.campaign_id === null ? null : await loadCampaignDefinition(deps.db, call.campaign_id);
  if (campaign !== null && isFinalCampaignStatus(campaign.status)) return 'over';
  const now = await engineNow(deps.db);
  if (now.getTime() - call.gated_at.getTime() < sendExpiresMs) {
    await saveCallCheck(deps.db, call.id, new Date(now.getTime() + refusedRetryMs));
    return 'deferred';
  }
  const undone = await undoInTurn(deps, call.organization_id, {
    callId: call.id,
    gatedAt: call.gated_at,
    retryAt: now,
    now,
    queueTimeoutSeconds: deps.settings.callQueueTimeoutSeconds,
    why: reason,
  });
  if (!undone) return 'deferred';
  await enqueueLineWaiters(deps, undone.lineWaiters);
  return 'undone';
}

/** `waitUntil`: when the calls per second may have room, if they have none now. */
type RepeatAnswer =
  | { kind: 'passed'; gatedAt: Date }
  | { kind: 'refused'; reason: GateReason; now: Date; waitUntil: Date | null };

/** A call whose organization or campaign is being changed waits for its organization's turn, without a connection. */
async function gateInTurn(deps: SendDeps, call: LiveCall): Promise<RepeatAnswer> {
  const answer = await gateAgain(deps, call, { waits: false });
  return answer ?? (await deps.held.run(call.organization_id, () => gateAgain(deps, call, { waits: true })));
}

/** The gate of a repeated send, with the same row, attempt and conditions as the first one. Its lines are taken already. Null if it would wait for a change. */
async function gateAgain(deps: SendDeps, call: LiveCall, options: { waits: true }): Promise<RepeatAnswer>;
async function gateAgain(
  deps: SendDeps,
  call: LiveCall,
  options: { waits: boolean },
): Promise<RepeatAnswer | null>;
async function gateAgain(
  deps: SendDeps,
  { id: callId, gated_at: sentAt, now }: LiveCall,
  options: { waits: boolean },
): Promise<RepeatAnswer | null> {
  return inGate(deps.db, async (tx) => {
    const call = await lockCall(tx, callId, options);
    if (!call) return { kind: 'refused', reason: 'stale', now, waitUntil: null };
    if ('heldOf' in call) return null;
    const terms = await readCallTerms(tx, call, { isSent: true });
    const paced = await lockPace(tx, call);
    const lanes = lanesOf(paced);
    const allowed = paceAllowance({ now: paced.now, want: 1, lanes });
    const paceLeft = lanes.length === 0 ? null : allowed.take;
    const answer = await passCallGate(tx, { callId, terms, sentAt, paceLeft, lookUpGraceMs });
    if ('refusal' in answer) {
      const { waitUntil } = allowed;
      return { kind: 'refused', reason: answer.refusal, now: answer.now, waitUntil };
    }
    await savePace(tx, call, paced, { at: answer.gatedAt, count: 1 });
    return { kind: 'passed', gatedAt: answer.gatedAt };
  });
}
