import { nextTurn } from './turns.ts';

/** The account of an organization at a provider whose lines it shares with others. */
export interface OrganizationLines {
  inUse: number;
  /** Of two organizations that want as much as they can get, the one with twice the weight gets twice the lines. */
  weight: number;
  /** Seconds of lines, relative to its weight, that it has had while others waited (see `usedSoFar`). */
  used: number;
  /** The number of lines that it would take now. Absent: as many as it can get. */
  wanted?: number;
}

/**
 * The seconds that a line counts in advance, before it is used. With equal use so far, each line goes to the organization with the fewest lines. The
 * larger this value, the more evenly lines are spread at one instant; the smaller, the sooner an organization catches up.
 */
export const lineChargeSeconds = 10;

/**
 * Decides how many of the free lines belong to an organization if others wait for lines as well. Each line goes to the organization with the fewest
 * seconds of lines for its weight, including the seconds to come. So shares hold over time even if they are not whole numbers of lines, and if one
 * organization's calls are longer than another's. Wanting more does not increase a share. Neither do priorities, which count only within an
 * organization.
 */
export function organizationShare(
  own: OrganizationLines,
  others: readonly OrganizationLines[],
  free: number,
): number {
  if (others.length === 0) return Math.max(0, free);
  // The seconds that it has had count as lines too.
  const contenders = [own, ...others].map(({ inUse, used, weight, wanted = Infinity }) => ({
    inUse: inUse + 1 + (used * weight) / lineChargeSeconds,
    weight,
    wanted,
    servedAt: 0,
    given: 0,
  }));
  for (let line = 0; line < free; line++) {
    const next = nextTurn(contenders.filter(({ given, wanted }) => given < wanted));
    if (next === null) break;
    next.given++;
    next.inUse++;
  }
  return contenders[0]?.given ?? 0;
}

/** The stored account of an organization at a provider while several want its lines. */
export interface LineAccount {
  /** Seconds of lines, relative to its weight, up to `asOf`. */
  used: number;
  /** The lines held since then. */
  lines: number;
  asOf: Date;
  /** When the organization last took part in sharing lines. */
  seenAt: Date;
}

/** An organization that was absent for this long before the last sharing did not want lines in between. */
const awaySeconds = 5;
/** If no lines were shared for this long, the accounts are reset. */
const forgottenSeconds = 600;
/** `seenAt` is written again after this time if nothing else has changed. */
export const seenAgainSeconds = 2;

/**
 * The use of each organization up to now. An organization that was absent, or is new, starts with the least that the others have had: it cannot
 * claim later what it did not want earlier. Excess use still counts. If the others have no account, it starts with its own, or with zero.
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
