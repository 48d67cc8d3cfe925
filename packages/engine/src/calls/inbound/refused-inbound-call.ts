import { type InboundLimits, type InboundRefusal, refusalOfFurtherCall } from '@outdial/core';
import {
  countInboundCalls,
  type Db,
  type Executor,
  findInboundCall,
  insertRefusedCall,
  type NewInboundCall,
  type Tx,
  writeOutbox,
} from '@outdial/db';
import type { NotBegun } from './begin-inbound-call.ts';
import { withInboundLock } from './inbound-lock.ts';

const unrecorded: ReadonlySet<InboundRefusal> = new Set(['caller_rate', 'number_rate', 'call_over']);

export const leavesRecord = (begun: NotBegun): boolean =>
  begun.lockTimedOut !== true && !unrecorded.has(begun.refused);

/** Records a refused call; null if the limits allow no more records. */
export async function saveRefusedCall(
  db: Db,
  call: NewInboundCall,
  { reason, limits }: { reason: InboundRefusal; limits: InboundLimits },
): Promise<string | null> {
  const mayRecord = async (executor: Executor): Promise<boolean> =>
    refusalOfFurtherCall(await countInboundCalls(executor, call), { ...limits, atATime: Infinity }) ===
      null && (await findInboundCall(executor, call)) === null;
  const recorded = await withInboundLock<{ id: string | null }>(db, call.organizationId, {
    before: async () => ((await mayRecord(db)) ? null : { id: null }),
    work: async (tx) => ({ id: (await mayRecord(tx)) ? await writeRefused(tx, call, reason) : null }),
  });
  return recorded?.id ?? null;
}

async function writeRefused(tx: Tx, call: NewInboundCall, reason: InboundRefusal): Promise<string> {
  const { id, endedAt } = await insertRefusedCall(tx, { ...call, reason });
  const at = endedAt.toISOString();
  const data = {
    attempt: 1,
    status: 'other' as const,
    outcome: 'busy' as const,
    started_at: at,
    ended_at: at,
    duration: 0,
    external_status: reason,
  };
  const of = { organizationId: call.organizationId, campaignId: null, recipientId: null, callId: id };
  await writeOutbox(tx, [{ type: 'call.ended', ...of, data }], endedAt);
  return id;
}
