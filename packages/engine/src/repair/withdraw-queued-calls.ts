import type { Swept } from '@outdial/core';
import {
  findQueuedGroups,
  inTransaction,
  takeForbiddenForCheck,
  tryTerms,
  whileQueued,
  type QueuedGroup,
} from '@outdial/db';
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
  const failures: unknown[] = [];
  for (const group of await findQueuedGroups(deps.db, providers)) {
    try {
      const callIds = await takeForbidden(deps, group, providers);
      await checkCalls(deps, callIds);
      done += callIds.length;
      isFull ||= callIds.length === batch;
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, 'could not check all queued calls');
  return { done, isFull };
}

/** None while a change holds the group, so that the others do not wait. The next round asks under the new terms. */
async function takeForbidden(
  deps: SendDeps,
  { phoneNumbers, ...owner }: QueuedGroup,
  providers: readonly string[],
): Promise<string[]> {
  return inTransaction(deps.db, async (tx) => {
    const rules = await tryTerms(tx, owner);
    if (rules === null || !isUnderRules(rules)) return [];
    const terms = await readQueuedTerms(tx, owner, rules, phoneNumbers);
    if (terms === null) return [];
    const judged = whileQueued(terms, deps.settings.callQueueTimeoutSeconds);
    return takeForbiddenForCheck(tx, { owner, judged, providers, checkAgainMs: republishMs, limit: batch });
  });
}
