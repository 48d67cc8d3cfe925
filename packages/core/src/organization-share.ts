/** How an organization stands at a provider whose lines it shares with others. */
export interface OrganizationLines {
  inUse: number;
  /** Of two organizations that want all they can get, one with twice the weight has twice the lines. */
  weight: number;
  /** When it was last given a line; null where that is long ago. */
  servedAt: Date | null;
  /** Lines that it would take now. Without it, all that it can get. */
  wanted?: number;
}

/**
 * How many of the free lines are an organization's, where others wait for lines as well: each line goes to the one that has fewest for
 * its weight, and of several to the one that was served least recently. What an organization wants does not make its share larger, nor
 * do priorities, which count within an organization only.
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
        (best, one) => (best === null || comesBefore(one, best) ? one : best),
        null,
      );
    if (next === null) break;
    next.given++;
  }
  return contenders[0]?.given ?? 0;
}

function comesBefore(
  one: OrganizationLines & { given: number },
  other: OrganizationLines & { given: number },
): boolean {
  const nextOf = ({ inUse, given, weight }: typeof one) => (inUse + given + 1) / weight;
  const difference = nextOf(one) - nextOf(other);
  if (difference !== 0) return difference < 0;
  if (one.given !== other.given) return one.given < other.given;
  return (one.servedAt?.getTime() ?? -Infinity) < (other.servedAt?.getTime() ?? -Infinity);
}
