import type { Swept } from '@outdial/core';
import { findQueuedGroups, inTransaction, lockTerms, takeForbiddenForCheck, whileQueued } from '@outdial/db';
import { checkCalls } from './check-calls.ts';
import type { SendDeps } from '../send/gated-call.ts';
import { isUnderRules, readQueuedTerms } from '../gate/call-terms.ts';
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
  for (const { phoneNumbers, ...owner } of await findQueuedGroups(deps.db, providers)) {
    const callIds = await inTransaction(deps.db, async (tx) => {
      const rules = await lockTerms(tx, owner);
      const terms = await readQueuedTerms(tx, owner, rules, phoneNumbers);
      if (terms === null || !isUnderRules(rules)) return [];
      const judged = whileQueued(terms, deps.settings.callQueueTimeoutSeconds);
      return takeForbiddenForCheck(tx, { owner, judged, providers, checkAgainMs: republishMs, limit: batch });
    });
    await checkCalls(deps, callIds);
    done += callIds.length;
    isFull ||= callIds.length === batch;
  }
  return { done, isFull };
}
