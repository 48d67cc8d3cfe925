import type { CallFault } from '@outdial/core';
import { findLiveCalls, inTransaction, undoAttempt } from '@outdial/db';
import { enqueueLineWaiters } from '../enqueue.ts';
import {
  isOfNumber,
  noteProviderFailure,
  noteProviderProgress,
  noteUnknownCode,
} from '../provider-health/provider-circuit.ts';
import { unreachedRetryMs } from '../timing.ts';
import type { ProgressDeps } from './apply-reports.ts';
import type { CallReport } from './fold-facts.ts';
import { isProbe } from './move-calls.ts';

/**
 * Handles the end of an accepted call for which the account is to blame: opens the circuit, and undoes the attempt. False if the end counts: the call
 * rang, the fault may be its own, or it is a direct call, which has no other to wait with.
 */
export async function undoFaulty(deps: ProgressDeps, { callId, facts }: CallReport): Promise<boolean> {
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
