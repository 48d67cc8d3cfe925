import {
  countTransfer,
  type Db,
  dropTransferLine,
  engineNow,
  findOrganizationLimits,
  lockCallForTransfer,
  inTransaction,
  lockLineCaps,
  releaseLines,
  shareSuppressions,
  takeOrganizationLine,
  takeProviderLine,
  type Tx,
  type CallKey,
} from '@outdial/db';
import { ConflictError } from '@outdial/core';
import { requireCallsLeft } from '../gate/quotas.ts';
import { refusalOfNumber, type TransferRefusal } from '../gate/refusal-of-transfer.ts';

/** Per call. A person could make an agent repeat transfers, and each one counts in the quota of the day. */
export const transfersAtMost = 5;

class NoLineError extends Error {
  readonly code = 'no_line_free';

  constructor() {
    super('no line is free for a transfer');
    this.name = 'NoLineError';
  }
}

/**
 * Takes a line of the organization and of the provider for a transfer, and counts it in the quota of the day. Returns why the transfer may not
 * be dialed, or null. `endTransfer` or the end of the call releases the line.
 */
export async function beginTransfer(
  db: Db,
  of: CallKey & { toPhone: string },
): Promise<TransferRefusal | null> {
  try {
    return await inTransaction(db, (tx) => takeLine(tx, of));
  } catch (error) {
    if (error instanceof NoLineError) return 'no_line_free';
    if (error instanceof ConflictError && error.code === 'quota_exceeded') return 'quota_exceeded';
    throw error;
  }
}

async function takeLine(tx: Tx, of: CallKey & { toPhone: string }): Promise<TransferRefusal | null> {
  const { organizationId, callId } = of;
  await lockLineCaps(tx);
  // Replaces the gate, because a transfer has no row in `calls`: a suppression or a change of the limits waits for the commit, or is seen here.
  await shareSuppressions(tx, organizationId);
  const limits = await findOrganizationLimits(tx, organizationId);
  const refusal = await refusalOfNumber(tx, of, limits);
  if (refusal !== null) return refusal;
  await requireCallsLeft(tx, organizationId, limits);
  const call = await lockCallForTransfer(tx, of);
  if (call === null) return 'call_over';
  if (call.transfers >= transfersAtMost) return 'too_many_transfers';
  if (!call.hasLine) {
    const { provider } = call;
    if (!(await takeOrganizationLine(tx, organizationId))) throw new NoLineError();
    if (!(await takeProviderLine(tx, { organizationId, provider }))) throw new NoLineError();
  }
  await countTransfer(tx, callId);
  return null;
}

/** Releases the line of a failed transfer. Sweeps wake the line waiters. Safe to repeat. */
export async function endTransfer(db: Db, of: CallKey): Promise<void> {
  await inTransaction(db, async (tx) => {
    await lockLineCaps(tx);
    const call = await lockCallForTransfer(tx, of);
    if (call?.hasLine !== true) return;
    await dropTransferLine(tx, of.callId);
    const line = { organizationId: of.organizationId, campaignId: null, provider: call.provider, count: 1 };
    await releaseLines(tx, [line], await engineNow(tx));
  });
}
