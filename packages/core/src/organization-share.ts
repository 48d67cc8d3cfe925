/** How an organization stands at a provider whose lines it shares with others. */
export interface OrganizationLines {
  inUse: number;
  /** Of two organizations that want all they can get, one with twice the weight has twice the lines. */
  weight: number;
  /** Seconds of lines that it has had for its weight while others waited, of `usedSoFar`. */
  used: number;
  /** Lines that it would take now. Without it, all that it can get. */
  wanted?: number;
}

/**
 * A line counts as so many seconds before it is used: of organizations that have had as much, each line goes to the one with fewest. The
 * larger it is, the more evenly lines are spread at one instant; the smaller, the sooner an organization gets back what it lacks.
 */
export const lineChargeSeconds = 10;

/**
 * How many of the free lines are an organization's, where others wait for lines as well: each line goes to the one that has had fewest
 * seconds of lines for its weight, those to come included, so that shares hold over time where they are no whole number of lines, and
 * where one organization's calls are longer than another's. What an organization wants does not make its share larger, nor do priorities, which count
 * within an organization only.
 */
export function organizationShare(
  own: OrganizationLines,
  others: readonly OrganizationLines[],
  free: number,
): number {
  if (others.length === 0) return Math.max(0, free);
  const contenders = [own, ...others].map((lines) => ({ ...lines, given: 0 }));
  for (let line = 0; line < free; line++) {
    const next = contenders
      .filter(({ given, wanted = Infinity }) => given < wanted)
      .reduce<(typeof contenders)[number] | null>(
        (best, one) => (best === null || rankOf(one) < rankOf(best) ? one : best),
        null,
      );
    if (next === null) break;
    next.given++;
  }
  return contenders[0]?.given ?? 0;
}

/** The lower, the earlier its next line. The waking of those who wait goes by the same in SQL. */
function rankOf({ used, inUse, given, weight }: OrganizationLines & { given: number }): number {
  return used + (lineChargeSeconds * (inUse + given + 1)) / weight;
}

/** What is kept of an organization at a provider while several want its lines. */
export interface LineAccount {
  /** Seconds of lines for its weight, up to `asOf`. */
  used: number;
  /** Those that it has had since. */
  lines: number;
  asOf: Date;
  /** When lines were last shared out with it among those who wanted some. */
  seenAt: Date;
}

/** An organization that was not seen for so long before lines were last shared out did not want any in between. */
const awaySeconds = 5;
/** Where lines were not shared out for so long, nothing is owed any more. */
const forgottenSeconds = 600;
/** `seenAt` is written again after this, where nothing else has changed. */
export const seenAgainSeconds = 2;

/**
 * What each organization has had up to now. One that was away, or comes for the first time, begins with the least that the others have had: what
 * it did not want it does not get later. What it had too much it owes still. No account of the others: it begins at its own, or at nothing.
 */
export function usedSoFar(
  organizations: ReadonlyArray<{ weight: number; account: LineAccount | null }>,
  now: Date,
): number[] {
  const lastMs = Math.max(...organizations.map(({ account }) => account?.seenAt.getTime() ?? -Infinity));
  const isOld = now.getTime() - lastMs > forgottenSeconds * 1000;
  const known = organizations.map(({ weight, account }) => {
    if (account === null || isOld) return { used: null, wasThere: false };
    const seconds = Math.max(0, now.getTime() - account.asOf.getTime()) / 1000;
    const wasThere = account.lines > 0 || account.seenAt.getTime() >= lastMs - awaySeconds * 1000;
    return { used: account.used + (account.lines * seconds) / weight, wasThere };
  });
  const least = known.reduce(
    (min, { used, wasThere }) => (wasThere && used !== null && used < min ? used : min),
    Infinity,
  );
  return known.map(({ used, wasThere }) => {
    if (wasThere && used !== null) return used;
    return Math.max(used ?? 0, Number.isFinite(least) ? least : 0);
  });
}
