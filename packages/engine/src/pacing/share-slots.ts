import { organizationShare, slotHorizonMs } from '@outdial/core';
import { readSlotContention, saveSlotAccount, type SlotContention, type Tx, type Wants } from '@outdial/db';
import { allotPaces, type PaceAllotment, type PaceRequest } from './pace.ts';

/** How long after an organization should have asked for its next slot it is still expected to. */
const awaitedMs = 1_000;
/** Slots that another organization should take come half a horizon before their time, as its own would. */
const othersTurnMs = slotHorizonMs / 2;
/** Of slots that are counted to be shared out. */
const slotsAtMost = 500;

interface SharedSlots {
  allotment: PaceAllotment | null;
  /** Books what was taken of them; nothing where the provider has no pace. */
  take(this: void, tx: Tx, taken: number): Promise<void>;
}

/**
 * Slots for calls of an organization, no more than its share where others want slots of the same provider: each slot goes to the organization that has had
 * fewest for its weight, however many campaigns and calls ask for one. The provider's row is held where it has a pace; where it has none, this costs nothing.
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

/** Of the slots that the provider has within the horizon. */
function shareOf({ own, others }: SlotContention, { now, provider }: PaceRequest): number {
  if (others.length === 0) return slotsAtMost;
  const free = allotPaces({ now, want: slotsAtMost, campaign: null, provider })?.slots.length ?? slotsAtMost;
  return organizationShare(own, others, free);
}

/** A campaign that has what it wants, or waits for its own pace, takes no slot that others could. */
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
