interface SlotLimits {
  total: number;
  /** For one address, until the organization is known. Behind a proxy, all requests have the same address. */
  perAddress: number;
  perOrganization: number;
}

export interface RequestSlot {
  /** Counts the request for its organization, once that is known. False if the organization has too many. */
  assignTo(organizationId: string): boolean;
  release(): void;
}

interface RequestSlots {
  /** Null without a free slot. */
  take(address: string): RequestSlot | null;
}

const defaultLimits: SlotLimits = { total: 50, perAddress: 20, perOrganization: 15 };

/** Slots for requests. Neither strangers of one address nor one organization can take them all. */
export function createRequestSlots({
  total,
  perAddress,
  perOrganization,
}: SlotLimits = defaultLimits): RequestSlots {
  let taken = 0;
  const counts = new Map<string, number>();

  function count(key: string, change: 1 | -1): number {
    const now = (counts.get(key) ?? 0) + change;
    if (now === 0) counts.delete(key);
    else counts.set(key, now);
    return now;
  }

  return {
    take(address) {
      let key = `address ${address}`;
      if (taken >= total || (counts.get(key) ?? 0) >= perAddress) return null;
      taken += 1;
      count(key, 1);
      let isReleased = false;
      return {
        assignTo(organizationId) {
          if (isReleased) return false;
          count(key, -1);
          key = `organization ${organizationId}`;
          return count(key, 1) <= perOrganization;
        },
        release() {
          if (isReleased) return;
          isReleased = true;
          taken -= 1;
          count(key, -1);
        },
      };
    },
  };
}
