import type { ListedCall, TelephonyProvider } from '@outdial/core';
import { listCallsToCompare, type ComparedCall, type Db } from '@outdial/db';
import { withDeadline } from '../send/with-deadline.ts';

const listMs = 120_000;
/** A provider may have queued a call before it dialed it. */
const queuedMs = 60 * 60_000;
/** Between our gate and the provider's own instant. */
const apartMs = 60_000;

export type CallComparison =
  | {
      kind: 'compared';
      both: number;
      onlyAtProvider: readonly ListedCall[];
      onlyHere: readonly ComparedCall[];
    }
  | { kind: 'no_list' }
  | { kind: 'unreachable'; reason: string };

/** Compares a provider's own list of calls with the database, for example after a restore from a backup. */
export async function compareCalls(
  db: Db,
  { provider, since }: { provider: TelephonyProvider; since: Date },
): Promise<CallComparison> {
  const list = await withDeadline(listMs, async (signal) => provider.listCalls?.(since, signal));
  if (list === undefined) return { kind: 'no_list' };
  if (list.kind === 'unreachable') return list;
  const { areInProgress } = list;
  const from = new Date(since.getTime() - queuedMs);
  const known = await listCallsToCompare(db, { provider: provider.name, since: from, areInProgress });
  const found = matchCalls(list.calls, known);
  const onlyHere = known.filter(
    (call) => !found.here.has(call) && call.wasDialed && call.gatedAt.getTime() >= since.getTime(),
  );
  const onlyAtProvider = list.calls.filter((call) => !found.there.has(call));
  return { kind: 'compared', both: found.there.size, onlyAtProvider, onlyHere };
}

/** By id. A call whose acceptance was lost has none here: by number and instant. */
function matchCalls(listed: readonly ListedCall[], known: readonly ComparedCall[]) {
  const here = new Set<ComparedCall>();
  const there = new Set<ListedCall>();
  const byId = new Map<string, ComparedCall>();
  const unnamed = new Map<string, ComparedCall[]>();
  for (const call of known) {
    byId.set(call.id, call);
    if (call.conversationId !== null) byId.set(call.conversationId, call);
    else unnamed.set(call.toPhone, [...(unnamed.get(call.toPhone) ?? []), call]);
  }
  for (const call of listed) {
    const { at, toPhone } = call;
    const isNear = (one: ComparedCall) =>
      !here.has(one) && at !== null && Math.abs(at.getTime() - one.gatedAt.getTime()) <= apartMs;
    const same =
      byId.get(call.callId ?? call.conversationId) ?? unnamed.get(toPhone ?? '')?.find((one) => isNear(one));
    if (same === undefined) continue;
    here.add(same);
    there.add(call);
  }
  return { here, there };
}
