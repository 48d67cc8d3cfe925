import { sql } from 'kysely';
import type { World } from './world.ts';

/** The time for which a call held a line, in milliseconds. */
export interface Span {
  gatedMs: number;
  /** The end according to the carrier. */
  carrierEndMs: number;
  /** When the engine had recorded the end and released the line. */
  endedMs: number;
}

interface Interval {
  fromMs: number;
  toMs: number;
}

export async function readSpans(world: World): Promise<Span[]> {
  const { rows } = await sql<{ gated: Date; ended: Date; carrier: string }>`
    select gated_at as gated, ended_at as ended,
      (select e ->> 'at' from jsonb_array_elements(events) e where e ->> 'type' = 'ended' limit 1) as carrier
    from calls order by gated_at`.execute(world.db);
  return rows.map((row) => ({
    gatedMs: row.gated.getTime(),
    carrierEndMs: new Date(row.carrier).getTime(),
    endedMs: row.ended.getTime(),
  }));
}

/** While their lines were reserved, as the engine counts. */
export function heldLines(spans: readonly Span[]): Interval[] {
  return spans.map(({ gatedMs, endedMs }) => ({ fromMs: gatedMs, toMs: endedMs }));
}

/** The most lines in use at one instant. */
export function mostInUse(spans: readonly Interval[]): number {
  return Math.max(...inUse(spans).map((step) => step.lines));
}

/** Each change in the number of lines in use. Within a millisecond, an end counts before a begin. */
export function inUse(spans: readonly Interval[]): Array<{ atMs: number; lines: number }> {
  const changes = spans
    .flatMap((span) => [
      { atMs: span.fromMs, by: 1 },
      { atMs: span.toMs, by: -1 },
    ])
    .toSorted((one, other) => one.atMs - other.atMs || one.by - other.by);
  let lines = 0;
  return changes.map(({ atMs, by }) => {
    lines += by;
    return { atMs, lines };
  });
}

/** The part of the lines' time within a window in which they carried a call. */
export function usedOf(spans: readonly Interval[], cap: number, window: Interval): number {
  const used = spans.reduce(
    (total, span) =>
      total + Math.max(0, Math.min(span.toMs, window.toMs) - Math.max(span.fromMs, window.fromMs)),
    0,
  );
  return used / (cap * (window.toMs - window.fromMs));
}

/** How long each freed line waited for its next call. With `cap` lines, the nth end permits the dial number n + `cap`. */
export function turnovers(spans: readonly Interval[], cap: number, window: Interval): number[] {
  const begins = spans.map((span) => span.fromMs).toSorted((one, other) => one - other);
  const ends = spans.map((span) => span.toMs).toSorted((one, other) => one - other);
  return begins
    .slice(cap)
    .map((begin, n) => ({ begin, end: ends[n] ?? Number.NaN }))
    .filter(({ end, begin }) => end >= window.fromMs && begin <= window.toMs)
    .map(({ begin, end }) => begin - end);
}
