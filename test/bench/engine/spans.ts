import { sql } from 'kysely';
import type { World } from './world.ts';

/** When a call had a line, in milliseconds. */
export interface Span {
  gatedMs: number;
  /** By the carrier. */
  carrierEndMs: number;
  /** When the engine had recorded the end, and gave the line back. */
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

/** Each change of how many lines are in use. An end and a begin in the same millisecond are one after the other. */
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

/** The part of the lines' time within a window that had a call. */
export function usedOf(spans: readonly Interval[], cap: number, window: Interval): number {
  const used = spans.reduce(
    (total, span) =>
      total + Math.max(0, Math.min(span.toMs, window.toMs) - Math.max(span.fromMs, window.fromMs)),
    0,
  );
  return used / (cap * (window.toMs - window.fromMs));
}

/** How long each freed line waited for its next call: with `cap` lines, the n-th end makes room for the dial `cap` after the n-th. */
export function turnovers(spans: readonly Interval[], cap: number, window: Interval): number[] {
  const begins = spans.map((span) => span.fromMs).toSorted((one, other) => one - other);
  const ends = spans.map((span) => span.toMs).toSorted((one, other) => one - other);
  return begins
    .slice(cap)
    .map((begin, n) => ({ begin, end: ends[n] ?? Number.NaN }))
    .filter(({ end, begin }) => end >= window.fromMs && begin <= window.toMs)
    .map(({ begin, end }) => begin - end);
}
