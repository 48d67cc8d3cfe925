import { setTimeout as sleep } from 'node:timers/promises';
import { dialingWindow } from '@outdial/core';
import { inTransaction, passGate, returnClaims, viewGate, type GatePass, type OpenWindow } from '@outdial/db';
import { hintHeirs } from '../hints.ts';
import { lookUpGraceMs } from '../timing.ts';
import { agentTelephony } from './agent-telephony.ts';
import type { CampaignContext, CampaignContexts } from './campaign-contexts.ts';
import { decideAfterRefusal, type ClaimGoesTo } from './gate-refusal.ts';
import { giveClaimNewSlot } from './new-slot.ts';
import { sendCall, type SendDeps, type Sent } from './send-call.ts';

export interface PlaceDeps extends SendDeps {
  contexts: CampaignContexts;
}

export interface CampaignCallJob {
  organizationId: string;
  campaignId: string;
  recipientId: string;
  claimId: string;
  attempt: number;
}

/** `stale`: the claim is not the live one, so there was nothing to do. `returned`: the gate stayed shut, and why. */
export type Placed = { kind: 'sent'; sent: Sent } | { kind: 'returned'; reason: string } | { kind: 'stale' };

/** A gate is tried again after a wait for its slot, a new slot, or a change that came in between. */
const triesAtMost = 8;

/** Takes one claim through the gate to the provider. A gate that stays shut gives the claim back. */
export async function placeCampaignCall(deps: PlaceDeps, job: CampaignCallJob): Promise<Placed> {
  let lastSeen: Date | null = null;
  for (let tried = 0; tried < triesAtMost; tried++) {
    const context = await deps.contexts.get(job.campaignId);
    const gateBeganAtMs = performance.now();
    const pass = context && (await tryGate(deps, job, context, lastSeen ?? context.estimateNow()));
    if (context && pass) {
      return { kind: 'sent', sent: await send(deps, job, context, pass, gateBeganAtMs) };
    }
    const view = await viewGate(deps.db, job);
    if (!view) return { kind: 'stale' };
    lastSeen = view.now;
    const next = decideAfterRefusal(context?.definition ?? null, view);
    deps.metrics.gateRefused(next.reason);
    switch (next.kind) {
      case 'return':
        return await giveBack(deps, job, next.reason, next.to, view.now);
      case 'reload':
        deps.contexts.drop(job.campaignId);
        break;
      case 'wait':
        await sleep(next.waitMs);
        break;
      case 'new_slot':
        if (!(await giveClaimNewSlot(deps, job))) {
          return await giveBack(deps, job, next.reason, { state: 'pending', at: view.now }, view.now);
        }
        break;
      case 'retry':
        break;
    }
  }
  const now = lastSeen ?? new Date();
  return await giveBack(deps, job, 'unsettled', { state: 'pending', at: now }, now);
}

async function tryGate(
  deps: PlaceDeps,
  job: CampaignCallJob,
  { definition, agent }: CampaignContext,
  now: Date,
): Promise<GatePass | null> {
  if (definition.status !== 'running' || definition.startedBy === null || agent.prompt === null) return null;
  const windows = openWindows(definition, now);
  if (windows.length === 0) return null;
  return await passGate(deps.db, {
    ...job,
    revision: definition.revision,
    windows,
    agentId: definition.agentId,
    promptId: agent.prompt.id,
    promptParams: definition.promptParams,
    fromPhone: agentTelephony(agent.config).fromPhone,
    createdBy: definition.startedBy,
    lookUpGraceMs,
  });
}

function openWindows(definition: CampaignContext['definition'], now: Date): OpenWindow[] {
  const windows: OpenWindow[] = [];
  for (const zone of definition.zones) {
    const window = dialingWindow(definition.schedule, zone, now);
    if (window.kind === 'open') windows.push({ zone, opensAt: window.opensAt, closesAt: window.closesAt });
  }
  return windows;
}

async function send(
  deps: PlaceDeps,
  job: CampaignCallJob,
  { agent }: CampaignContext,
  pass: GatePass,
  gateBeganAtMs: number,
): Promise<Sent> {
  return await sendCall(deps, {
    pass,
    organizationId: job.organizationId,
    agent,
    promptText: agent.prompt?.text ?? '',
    campaignId: job.campaignId,
    recipientId: job.recipientId,
    attempt: job.attempt,
    fromPhone: agentTelephony(agent.config).fromPhone,
    meta: {},
    gateBeganAtMs,
  });
}

async function giveBack(
  deps: PlaceDeps,
  job: CampaignCallJob,
  reason: string,
  to: ClaimGoesTo,
  now: Date,
): Promise<Placed> {
  const { heirs } = await inTransaction(deps.db, (tx) => returnClaims(tx, [{ ...job, next: to }], now));
  deps.log.debug(
    { campaign_id: job.campaignId, recipient_id: job.recipientId, reason },
    'the gate stayed shut',
  );
  await hintHeirs(deps, { ...heirs, campaignIds: [...heirs.campaignIds, job.campaignId] });
  return { kind: 'returned', reason };
}
