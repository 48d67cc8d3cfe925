/** Of requests that are answered at once. */
interface PlaceLimits {
  together: number;
  /** Of one address, while it is unknown whose they are. Behind a proxy all have one address. */
  ofStrangers: number;
  ofOrganization: number;
}

export interface Place {
  /** The request is known to be this organization's. False if it has too many. */
  nowOf(organizationId: string): boolean;
  leave(): void;
}

interface Places {
  /** Null if there is no place for the request. */
  take(address: string): Place | null;
}

const usual: PlaceLimits = { together: 50, ofStrangers: 20, ofOrganization: 15 };

/** Places for requests, such that neither strangers of one address nor one organization can take them all. */
export function createPlaces({ together, ofStrangers, ofOrganization }: PlaceLimits = usual): Places {
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
      if (taken >= together || (counts.get(key) ?? 0) >= ofStrangers) return null;
      taken += 1;
      count(key, 1);
      let hasLeft = false;
      return {
        nowOf(organizationId) {
          if (hasLeft) return false;
          count(key, -1);
          key = `organization ${organizationId}`;
          return count(key, 1) <= ofOrganization;
        },
        leave() {
          if (hasLeft) return;
          hasLeft = true;
          taken -= 1;
          count(key, -1);
        },
      };
    },
  };
}
