import { organizationShare, slotHorizonMs } from '@outdial/core';
import { readSlotContention, saveSlotAccount, type SlotContention, type Tx, type Wants } from '@outdial/db';
import { allotPaces, type PaceAllotment, type PaceRequest } from './pace.ts';

/** How long an organization keeps its share after it should have asked for its next slot. */
const awaitedMs = 1_000;
/** How long to wait if the remaining slots belong to other organizations. */
const othersTurnMs = slotHorizonMs / 2;
/** The most slots that are counted for sharing. */
const slotsAtMost = 500;

interface SharedSlots {
  allotment: PaceAllotment | null;
  /** Records how many slots were taken. No-op if the provider has no pace. */
  take(this: void, tx: Tx, taken: number): Promise<void>;
}

/**
 * Limits an organization to its share of slots if others want slots of the same provider. Each slot goes to the organization that has had the
 * fewest for its weight, regardless of its number of campaigns and calls. Without a pace of the provider, this runs no query.
 */
export async function shareSlots(
  tx: Tx,
  of: { organizationId: string; provider: string; asks: 'campaign' | 'direct_call' },
  request: PaceRequest,
): Promise<SharedSlots> {
  const all = allotPaces(request);
  if (request.provider.callsPerSecond === null || all === null) {
    return { allotment: all, take: async () => undefined };
  }
  const { now } = request;
  const contention = await readSlotContention(tx, { ...of, now });
  const share = shareOf(contention, request);
  const isLess = share < Math.min(request.want, all.slots.length);
  const allotment = isLess
    ? { ...all, slots: all.slots.slice(0, share), waitUntil: new Date(now.getTime() + othersTurnMs) }
    : all;
  return {
    allotment,
    async take(inTx, taken) {
      const wants = wantsOf(of.asks, allotment, { request, taken });
      await saveSlotAccount(inTx, { ...of, now }, { ...contention, taken, wants });
    },
  };
}

/** The share of the provider's slots within the horizon. */
function shareOf({ own, others }: SlotContention, { now, provider }: PaceRequest): number {
  if (others.length === 0) return slotsAtMost;
  const free = allotPaces({ now, want: slotsAtMost, campaign: null, provider })?.slots.length ?? slotsAtMost;
  return organizationShare(own, others, free);
}

/** A campaign that has enough slots, or waits for its own pace, does not compete for more. */
function wantsOf(
  asks: 'campaign' | 'direct_call',
  { slots, waitUntil }: PaceAllotment,
  { request: { now, want, provider }, taken }: { request: PaceRequest; taken: number },
): Wants {
  const isOneOfMany = asks === 'direct_call';
  const has: Wants = { kind: isOneOfMany ? 'as_before' : 'nothing' };
  if (waitUntil === null || taken < slots.length) return has;
  const ofProvider = allotPaces({ now, want, campaign: null, provider })?.waitUntil ?? now;
  if (waitUntil.getTime() > ofProvider.getTime() + othersTurnMs) return has;
  return { kind: 'until', at: new Date(waitUntil.getTime() + awaitedMs), keepsLater: isOneOfMany };
}
