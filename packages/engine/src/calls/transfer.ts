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
  takeOrganizationLine,
  takeProviderLine,
  type Tx,
} from '@outdial/db';
import { ConflictError } from '@outdial/core';
import { requireCallsLeft } from '../limits/quotas.ts';
import { refusalOfTransfer, type TransferRefusal } from './refusal-of-transfer.ts';

/** Of one call. A person can make an agent ask again and again, and each counts in the quota of the day. */
export const transfersAtMost = 5;

interface TransferOf {
  organizationId: string;
  callId: string;
}

/** Undoes what was taken so far. */
class NoLineError extends Error {
  readonly code = 'no_line_free';

  constructor() {
    super('no line is free for a transfer');
    this.name = 'NoLineError';
  }
}

/**
 * Takes a line of the organization and of the provider for a transfer that is about to be dialed, and counts it in the quota of the day; gives why it may not
 * be dialed, or null. The line is given back by `endTransfer`, else with the call.
 */
export async function beginTransfer(
  db: Db,
  of: TransferOf & { toPhone: string },
): Promise<TransferRefusal | null> {
  const refusal = await refusalOfTransfer(db, of);
  if (refusal !== null) return refusal;
  try {
    return await inTransaction(db, (tx) => takeLine(tx, of));
  } catch (error) {
    if (error instanceof NoLineError) return 'no_line_free';
    if (error instanceof ConflictError && error.code === 'quota_exceeded') return 'quota_exceeded';
    throw error;
  }
}

async function takeLine(tx: Tx, of: TransferOf): Promise<TransferRefusal | null> {
  const { organizationId, callId } = of;
  await lockLineCaps(tx);
  await requireCallsLeft(tx, organizationId, await findOrganizationLimits(tx, organizationId));
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

/** The transfer failed: the second line is free, and sweeps wake those that wait for one. Safe to repeat. */
export async function endTransfer(db: Db, of: TransferOf): Promise<void> {
  await inTransaction(db, async (tx) => {
    await lockLineCaps(tx);
    const call = await lockCallForTransfer(tx, of);
    if (call?.hasLine !== true) return;
    await dropTransferLine(tx, of.callId);
    const held = { organizationId: of.organizationId, campaignId: null, provider: call.provider, count: 1 };
    await releaseLines(tx, [held], await engineNow(tx));
  });
}
