import type { Swept } from '@outdial/core';
import { bringInstantsBack as bringBack, engineNow, inTransaction } from '@outdial/db';
import type { ControlDeps } from '../deps.ts';
import { enqueueAdvance } from '../enqueue.ts';
import { lookUpGraceMs } from '../timing.ts';

const limit = 5_000;

/** Corrects plans after the clock was set back, which would otherwise be late by that amount. */
export async function bringInstantsBack(deps: ControlDeps): Promise<Swept> {
  const now = await engineNow(deps.db);
  const { done, campaignIds } = await inTransaction(deps.db, (tx) =>
    bringBack(tx, { now, lookUpGraceMs, limit }),
  );
  await enqueueAdvance(deps, campaignIds);
  return { done, isFull: done >= limit };
}
