import { Batcher, type CallFault } from '@outdial/core';
import { noteVoice, findLiveCalls, inTransaction, undoAttempt, type CampaignKey } from '@outdial/db';
import { applyOptOut, mayOptOut } from '../compliance/suppress.ts';
import { applyReports, applyUnlessHeld, type ProgressDeps } from './apply-reports.ts';
import type { CallReport } from './fold-facts.ts';
import { HeldReports } from './held-reports.ts';
import { enqueueLineWaiters } from '../enqueue.ts';
import {
  isOfNumber,
  noteProviderFailure,
  noteProviderProgress,
  noteUnknownCode,
} from '../provider-health/provider-circuit.ts';
import { unreachedRetryMs } from '../timing.ts';
import { isProbe } from './move-calls.ts';

/** Records reports in batches. Reports that arrive while a batch is written join the next one. */
export interface ProgressRecorder {
  record(report: CallReport): Promise<void>;
  /** Resolves when all reports so far have been committed. */
  drain(): Promise<void>;
}

export function createProgressRecorder(deps: ProgressDeps): ProgressRecorder {
  const held = new HeldReports((reports) => applyReports(deps, reports));
  const batcher = new Batcher<CallReport, void>({
    async run(reports) {
      const campaigns = new Map<string, CampaignKey>();
      for (const { callId } of reports) {
        const campaign = held.campaignOf(callId);
        if (campaign !== null) campaigns.set(callId, campaign);
      }
      const first = reports.filter(({ callId }) => !campaigns.has(callId));
      for (const [callId, campaign] of await applyUnlessHeld(deps, first)) campaigns.set(callId, campaign);
      return reports.map((report) => {
        const campaign = campaigns.get(report.callId);
        return campaign && held.add(report, campaign);
      });
    },
    atMost: 200,
    lanes: 3,
    // Reports of one call are written in the order of their arrival.
    keyOf: (report) => report.callId,
    // One faulty report must not block the others.
    isOneItemsFault: () => true,
  });
  return {
    async record(report) {
      // Opt-outs are committed first, so that the gate refuses the number once the report is acknowledged.
      for (const fact of report.facts) if (mayOptOut(fact)) await applyOptOut(deps, report.callId, fact);
      for (const { kind, at } of report.facts) {
        if (kind === 'connected' || kind === 'abandoned') {
          await noteVoice(deps.db, { callId: report.callId, kind, at });
        }
      }
      if (await undoFaulty(deps, report)) return;
      return batcher.add(report);
    },
    async drain() {
      await batcher.drain();
      await held.drain();
    },
  };
}

/**
 * Handles the end of an accepted call for which the account is to blame: opens the circuit, and undoes the attempt. False if the end counts: the call
 * rang, the fault may be its own, or it is a direct call, which has no other to wait with.
 */
async function undoFaulty(deps: ProgressDeps, { callId, facts }: CallReport): Promise<boolean> {
  const fault = facts.flatMap((fact) => (fact.kind === 'ended' && fact.fault ? [fact.fault] : []))[0];
  if (fault === undefined) return false;
  const [call] = await findLiveCalls(deps.db, [callId]);
  if (call?.phase !== 'placing') return false;
  const { provider, phone_number: toPhone, campaign_id: campaignId, gated_at: gatedAt } = call;
  const of = { provider, toPhone, campaignId, wasProbe: isProbe(call), isLate: true as const };
  if (!(await isOfAccount(deps, of, fault)) || campaignId === null) return false;
  const undone = await inTransaction(deps.db, (tx) =>
    undoAttempt(tx, {
      callId,
      gatedAt,
      now: call.now,
      retryAt: new Date(call.now.getTime() + unreachedRetryMs),
      // Only for direct calls.
      queueTimeoutSeconds: 0,
      why: 'provider_deferred',
      isWithdrawn: true,
    }),
  );
  if (undone === null) return false;
  const log = { call_id: callId, campaign_id: campaignId, provider, reason: fault.code };
  deps.log.warn(log, 'the carrier refused the account; no attempt is used');
  await enqueueLineWaiters(deps, undone.lineWaiters);
  return true;
}

async function isOfAccount(
  deps: ProgressDeps,
  of: { provider: string; toPhone: string; campaignId: string | null; wasProbe: boolean; isLate: true },
  { isUnknownCode = false, ...fault }: CallFault,
): Promise<boolean> {
  if (isUnknownCode) return (await noteUnknownCode(deps, { ...of, code: fault.code })) !== null;
  if (await isOfNumber(deps, of)) {
    await noteProviderProgress(deps, of);
    return false;
  }
  await noteProviderFailure(deps, { ...of, why: fault.code, fault });
  return true;
}
