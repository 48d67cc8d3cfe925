import { type InboundLimits, type InboundRefusal, refusalOfFurtherCall } from '@outdial/core';
import {
  countInboundCalls,
  engineNow,
  type Executor,
  findInboundCall,
  insertRefusedCall,
  lockLineCaps,
  type NewInboundCall,
  type Tx,
} from '@outdial/db';
import type { ProgressDeps } from '../progress/apply-reports.ts';
import { endedByUs } from '../progress/ended-by-us.ts';
import { moveCalls } from '../progress/move-calls.ts';
import { type NotBegun, withInboundLock } from './begin-inbound-call.ts';

const unrecorded: ReadonlySet<InboundRefusal> = new Set(['caller_rate', 'number_rate', 'call_over']);

export const leavesRecord = (begun: NotBegun): boolean =>
  begun.lockTimedOut !== true && !unrecorded.has(begun.refused);

/** Records a refused call; null if the limits allow no more records. */
export async function saveRefusedCall(
  deps: ProgressDeps,
  call: NewInboundCall,
  { reason, limits }: { reason: InboundRefusal; limits: InboundLimits },
): Promise<string | null> {
  const mayRecord = async (executor: Executor): Promise<boolean> =>
    refusalOfFurtherCall(await countInboundCalls(executor, call), { ...limits, atATime: Infinity }) ===
      null && (await findInboundCall(executor, call)) === null;
  const { db } = deps;
  const recorded = await withInboundLock<{ id: string | null }>(db, call.organizationId, {
    before: async () => ((await mayRecord(db)) ? null : { id: null }),
    work: async (tx) => ({ id: (await mayRecord(tx)) ? await writeRefused(tx, deps, call, reason) : null }),
  });
  return recorded?.id ?? null;
}

async function writeRefused(
  tx: Tx,
  deps: ProgressDeps,
  call: NewInboundCall,
  reason: InboundRefusal,
): Promise<string> {
  await lockLineCaps(tx);
  const callId = await insertRefusedCall(tx, call);
  const ended = endedByUs(await engineNow(tx), 'busy', reason);
  await moveCalls(tx, deps, [{ callId, whileQueued: true, withoutAcceptance: true, facts: [ended] }]);
  return callId;
}
