import { nextDial } from '@outdial/core';
import { finishCampaign, inTransaction, openAdvance, type CampaignKey, type Tx } from '@outdial/db';
import type { ControlDeps } from '../deps.ts';
import { enqueueAdvance, enqueuePlacements, enqueueLineWaiters, enqueueWithdrawals } from '../enqueue.ts';
import type { LocalTimers } from '../local-timers.ts';
import { claimDue, type ClaimDeps } from './claim-due.ts';
import { wakeLineWaiters } from './shared-lines.ts';
import { moved, type Step } from './advance-step.ts';

/** Enough for the largest number of lines, and few enough to end before the job's deadline. */
const roundsAtMost = 20;

export interface Advanced {
  claimed: number;
  finished: boolean;
}

export type AdvanceDeps = ControlDeps & ClaimDeps & { timers: LocalTimers };

/**
 * Claims due recipients of a campaign up to the limits of lines and pace, publishes their calls, and plans the next wake-up. Also finishes the
 * campaign when no work is left. Safe to run at any time and repeatedly.
 */
export async function advanceCampaign(deps: AdvanceDeps, campaignId: string): Promise<Advanced> {
  let claimed = 0;
  for (let round = 0; round < roundsAtMost; round++) {
    const step = await inTransaction(deps.db, (tx) => stepIn(tx, deps, campaignId));
    if (step.kind === 'idle') break;
    if (step.kind === 'finish') return { claimed, finished: await finish(deps, { ...step, campaignId }) };
    claimed += step.claims.length;
    await enqueuePlacements(deps, { campaignId, organizationId: step.organizationId }, step.claims);
    await enqueueLineWaiters(deps, step.lineWaiters);
    // The scheduler would be late for an early wake-up.
    const { wakeInMs } = step;
    if (wakeInMs !== null && wakeInMs > 0) {
      deps.timers.set(`advance ${campaignId}`, wakeInMs, () => enqueueAdvance(deps, [campaignId]));
    }
    if (!step.more) break;
  }
  return { claimed, finished: false };
}

async function stepIn(tx: Tx, deps: AdvanceDeps, campaignId: string): Promise<Step> {
  const view = await openAdvance(tx, campaignId);
  if (!view || view.definition.status !== 'running') return { kind: 'idle' };
  const finishes: Step = { kind: 'finish', organizationId: view.definition.organizationId };
  const { now, earliestDueByZone } = view;
  const { schedule } = view.definition;
  if (schedule.endAt !== null && now >= schedule.endAt) return finishes;
  if (earliestDueByZone.length === 0 && view.linesInUse === 0) return finishes;
  const next = nextDial(schedule, earliestDueByZone, now);
  if (next.kind === 'at' && next.at <= now) return claimDue(tx, deps, view);
  const lineWaiters = await wakeLineWaiters(tx, view);
  if (next.kind === 'at') {
    const plan = { wakeAt: next.at, nextDialAt: next.at, waitingFor: next.waitingFor };
    return moved(tx, view, plan, { lineWaiters });
  }
  const waitingFor = earliestDueByZone.length > 0 ? 'window' : 'calls_in_progress';
  return moved(tx, view, { wakeAt: null, nextDialAt: null, waitingFor }, { lineWaiters });
}

async function finish(deps: AdvanceDeps, key: CampaignKey): Promise<boolean> {
  const finished = await inTransaction(deps.db, (tx) => finishCampaign(tx, key));
  if (!finished) return false;
  const { campaignId } = key;
  deps.log.info({ campaign_id: campaignId }, 'campaign finished');
  await enqueueWithdrawals(deps, [campaignId]);
  return true;
}
