import type { TimeZone } from './time-zone.ts';

/** No zone is or was further from UTC than this. */
export const largestOffsetMs = 16 * 3_600_000;

/** A half-open interval in epoch milliseconds; `toMs` is exclusive. */
export interface Interval {
  fromMs: number;
  toMs: number;
}

/**
 * The instants at which a wall clock shows a time in [localFromMs, localToMs), with local times counted as if in UTC.
 * Usually one interval; none if a clock change skips the span, two if it repeats a part of it.
 */
export function instantsOfLocalSpan(zone: TimeZone, localFromMs: number, localToMs: number): Interval[] {
  const found: Interval[] = [];
  for (const segment of zone.segments(localFromMs - largestOffsetMs, localToMs + largestOffsetMs)) {
    const fromMs = Math.max(segment.fromMs, localFromMs - segment.offsetMs);
    const toMs = Math.min(segment.toMs, localToMs - segment.offsetMs);
    if (fromMs >= toMs) continue;
    const last = found.at(-1);
    if (last !== undefined && last.toMs === fromMs) last.toMs = toMs;
    else found.push({ fromMs, toMs });
  }
  return found;
}

/** The first instant at which the wall clock shows `localMs`; if a clock change skips it, the first one after the gap. */
export function firstInstantOfLocalTime(zone: TimeZone, localMs: number): number {
  let skippedToMs = localMs + largestOffsetMs;
  for (const segment of zone.segments(localMs - largestOffsetMs, localMs + largestOffsetMs)) {
    if (segment.fromMs + segment.offsetMs > localMs) skippedToMs = Math.min(skippedToMs, segment.fromMs);
    else if (localMs < segment.toMs + segment.offsetMs) return localMs - segment.offsetMs;
  }
  return skippedToMs;
}

/** The intersection of two lists of intervals, each sorted and without overlaps. */
export function common(some: readonly Interval[], others: readonly Interval[]): Interval[] {
  const found: Interval[] = [];
  let next = 0;
  for (const one of some) {
    while (next < others.length && (others[next]?.toMs ?? 0) <= one.fromMs) next++;
    for (let at = next; at < others.length; at++) {
      const other = others[at];
      if (other === undefined || other.fromMs >= one.toMs) break;
      found.push({ fromMs: Math.max(one.fromMs, other.fromMs), toMs: Math.min(one.toMs, other.toMs) });
    }
  }
  return found;
}
