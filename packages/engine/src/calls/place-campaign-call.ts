import { setTimeout as sleep } from 'node:timers/promises';
import {
  engineNow,
  inTransaction,
  returnClaims,
  type GateAnswer,
  type GatePass,
  type GateRefusal,
} from '@outdial/db';
import { enqueueLineWaiters } from '../enqueue.ts';
import type { CampaignContext, CampaignContexts } from './campaign-contexts.ts';
import { replanClaim } from './replan-claim.ts';
import { decideAfterRefusal, type AfterRelease } from './gate-refusal.ts';
import type { GateBatcher } from './gate-batcher.ts';
import { giveClaimNewSlot } from '../pacing/new-slot.ts';
import type { GatedCall, SendDeps, Sent } from './gated-call.ts';
import { sendCall } from './send-call.ts';
import { inSpan } from '../spans.ts';

export interface PlaceDeps extends SendDeps {
  contexts: CampaignContexts;
  gateBatcher: GateBatcher;
}

export interface CampaignCallJob {
  organizationId: string;
  campaignId: string;
  recipientId: string;
  claimId: string;
  attempt: number;
}

/** `stale`: another claim has replaced this one. `returned`: the gate refused the claim. */
export type Placed = { kind: 'sent'; sent: Sent } | { kind: 'returned'; reason: string } | { kind: 'stale' };

/** Retries follow a wait for a slot, a new slot, or a concurrent change. */
const triesAtMost = 8;

/** Passes the gate with a claim and sends the call. If the gate refuses, releases the claim. */
export async function placeCampaignCall(deps: PlaceDeps, job: CampaignCallJob): Promise<Placed> {
  let last: GateRefusal | undefined;
  for (let tried = 0; tried < triesAtMost; tried++) {
    const context = await deps.contexts.get(job.campaignId);
    if (!context) return { kind: 'stale' };
    const gateBeganAtMs = performance.now();
    const answer = await passGate(deps, context, job);
    if (answer.kind === 'passed') {
      const call = gated(job, context, answer.pass, gateBeganAtMs);
      return { kind: 'sent', sent: await sendCall(deps, call) };
    }
    const { now } = answer;
    last = answer;
    const next = decideAfterRefusal(answer, context.definition);
    deps.metrics.gateRefused(next.reason);
    switch (next.kind) {
      case 'stale':
        return { kind: 'stale' };
      case 'return':
        return release(deps, job, next.reason, next.to, now, answer);
      case 'replan':
        await replanClaim(deps, job, answer);
        return { kind: 'returned', reason: next.reason };
      case 'reload':
        deps.contexts.drop(job.campaignId);
        break;
      case 'wait':
        await sleep(next.waitMs);
        break;
      case 'new_slot':
        if (!(await giveClaimNewSlot(deps, job))) {
          return release(deps, job, next.reason, { state: 'pending', at: now }, now, answer);
        }
        break;
    }
  }
  const now = await engineNow(deps.db);
  return release(deps, job, 'unsettled', { state: 'pending', at: now }, now, last);
}

function passGate(deps: PlaceDeps, context: CampaignContext, job: CampaignCallJob): Promise<GateAnswer> {
  const { organizationId, campaignId, recipientId, claimId, attempt } = job;
  const attributes = {
    'outdial.organization_id': organizationId,
    'outdial.campaign_id': campaignId,
    'outdial.recipient_id': recipientId,
    'outdial.call_id': claimId,
    'outdial.attempt': attempt,
  };
  return inSpan('gate', { attributes }, async (span) => {
    const answer = await deps.gateBatcher.pass(context, job);
    span.setAttribute('outdial.gate', answer.kind === 'passed' ? 'passed' : answer.reason);
    return answer;
  });
}

function gated(
  job: CampaignCallJob,
  { agent }: CampaignContext,
  pass: GatePass,
  gateBeganAtMs: number,
): GatedCall {
  return {
    pass,
    organizationId: job.organizationId,
    agent,
    promptText: agent.prompt?.text ?? '',
    campaignId: job.campaignId,
    recipientId: job.recipientId,
    attempt: job.attempt,
    meta: {},
    gateBeganAtMs,
  };
}

async function release(
  deps: PlaceDeps,
  job: CampaignCallJob,
  reason: string,
  to: AfterRelease,
  now: Date,
  refusal?: GateRefusal,
): Promise<Placed> {
  const claim = { ...job, next: to, ...(refusal && { refusal }) };
  const { lineWaiters } = await inTransaction(deps.db, (tx) => returnClaims(tx, [claim], now));
  deps.log.debug(
    { campaign_id: job.campaignId, recipient_id: job.recipientId, reason },
    'the gate refused a claim',
  );
  await enqueueLineWaiters(deps, lineWaiters, job.campaignId);
  return { kind: 'returned', reason };
}
