import type { Swept } from '@outdial/core';
import { findQueuedGroups, inTransaction, takeForbiddenForCheck } from '@outdial/db';
import { checkCalls } from './check-calls.ts';
import type { SendDeps } from '../send/gated-call.ts';
import { queuedTerms } from './withdraw-call.ts';
import { republishMs } from '../timing.ts';

/** As many requests as a provider can answer within their deadline. */
const batch = 50;

/**
 * Checks calls in a provider's queue that may no longer be dialed, so that they are withdrawn. Runs in workers, because it needs adapters. No
 * query if no provider queues calls.
 */
export async function withdrawQueuedCalls(deps: SendDeps): Promise<Swept> {
  const providers = [...deps.providers.values()]
    .filter((provider) => provider.withdraw !== undefined)
    .map((provider) => provider.name);
  if (providers.length === 0) return { done: 0, isFull: false };
  let [done, isFull] = [0, false];
  for (const group of await findQueuedGroups(deps.db, { providers })) {
    const terms = await queuedTerms(deps, group);
    if (terms === null) continue;
    const callIds = await inTransaction(deps.db, (tx) =>
      takeForbiddenForCheck(tx, { ...group, terms, providers, checkAgainMs: republishMs, limit: batch }),
    );
    await checkCalls(deps, callIds);
    done += callIds.length;
    isFull ||= callIds.length === batch;
  }
  return { done, isFull };
}
