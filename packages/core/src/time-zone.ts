import { IANAZone } from 'luxon';
import { CodedError } from './errors.ts';

/** The name is not an IANA time zone. Callers check names at the boundary, so this error indicates a bug. */
export class UnknownTimeZoneError extends CodedError {
  readonly code = 'unknown_time_zone';

  constructor(name: string) {
    super('This is not the name of a time zone.', { internal: `unknown time zone: ${name.slice(0, 64)}` });
  }
}

/** A stretch of time in which a zone's offset from UTC does not change. Times are epoch milliseconds, `toMs` is exclusive. */
export interface OffsetSegment {
  fromMs: number;
  toMs: number;
  offsetMs: number;
}

interface Chunk {
  segments: readonly OffsetSegment[];
  /** The offset at the end of the chunk, where the next one begins. */
  offsetAfterMs: number;
}

const dayMs = 86_400_000;
/**
 * Offsets are compared at the two ends of a chunk, so two changes that cancel out within one would be missed. The
 * closest pair in the IANA data since 1990 is seven days apart (northern Brazil, October 2000).
 */
const chunkMs = 4 * dayMs;
/** Limits that bound memory for all names and dates that callers send; evicted entries are computed again. */
const largestNameCount = 2_000;
const largestChunkCount = 500;

const zonesByName = new Map<string, TimeZone | null>();
/** As large as the list of names that exist. A name has a million spellings, and `Intl` is slow. */
const zonesByLowerName = new Map<string, TimeZone>();
const zonesByCanonicalName = new Map<string, TimeZone>();

export function timeZone(name: string): TimeZone {
  const zone = findTimeZone(name);
  if (zone === null) throw new UnknownTimeZoneError(name);
  return zone;
}

/** Finds any zone that `Intl` knows, so that names stored under an earlier rule keep their meaning. Case does not matter. */
export function findTimeZone(name: string): TimeZone | null {
  const known = zonesByName.get(name);
  if (known !== undefined) return known;
  const zone = loadTimeZone(name);
  if (zonesByName.size >= largestNameCount) zonesByName.clear();
  zonesByName.set(name, zone);
  return zone;
}

function loadTimeZone(name: string): TimeZone | null {
  if (!/^[A-Za-z][A-Za-z0-9_+\-/]{0,63}$/.test(name)) return null;
  const lowerName = name.toLowerCase();
  const sameName = zonesByLowerName.get(lowerName);
  if (sameName !== undefined) return sameName;
  let canonicalName: string;
  try {
    canonicalName = new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
  // Spellings that differ in case share one zone, so that callers cannot fill memory with them.
  let zone = zonesByCanonicalName.get(canonicalName);
  if (zone === undefined) {
    zone = new TimeZone(canonicalName);
    zonesByCanonicalName.set(canonicalName, zone);
  }
  zonesByLowerName.set(lowerName, zone);
  return zone;
}

/** A zone as a sequence of stretches with one offset each, computed on demand and cached. */
export class TimeZone {
  readonly name: string;
  private readonly zone: IANAZone;
  private readonly chunks = new Map<number, Chunk>();

  constructor(name: string) {
    this.name = name;
    this.zone = IANAZone.create(name);
  }

  /** The stretches that cover [fromMs, toMs), in order. The first and the last are cut to that range, and neighbours with the same offset are joined. */
  segments(fromMs: number, toMs: number): OffsetSegment[] {
    const found: OffsetSegment[] = [];
    for (let chunk = Math.floor(fromMs / chunkMs); chunk * chunkMs < toMs; chunk++) {
      for (const segment of this.chunk(chunk).segments) {
        const start = Math.max(segment.fromMs, fromMs);
        const end = Math.min(segment.toMs, toMs);
        if (start >= end) continue;
        const last = found.at(-1);
        if (last !== undefined && last.offsetMs === segment.offsetMs) last.toMs = end;
        else found.push({ fromMs: start, toMs: end, offsetMs: segment.offsetMs });
      }
    }
    return found;
  }

  /** The wall-clock time at an instant, as epoch milliseconds of the same reading in UTC. */
  localMs(atMs: number): number {
    const segment = this.chunk(Math.floor(atMs / chunkMs)).segments.find((one) => atMs < one.toMs);
    return atMs + (segment?.offsetMs ?? this.offsetMs(atMs));
  }

  private chunk(index: number): Chunk {
    const known = this.chunks.get(index);
    if (known !== undefined) return known;
    const fromMs = index * chunkMs;
    const toMs = fromMs + chunkMs;
    // Intl takes ten microseconds per call. Reusing the offset of the previous chunk saves half of the time.
    const offsetMs = this.chunks.get(index - 1)?.offsetAfterMs ?? this.offsetMs(fromMs);
    const offsetAfterMs = this.offsetMs(toMs);
    const segments = this.findSegments({ fromMs, toMs, offsetMs }, offsetAfterMs);
    const chunk = { segments, offsetAfterMs };
    if (this.chunks.size >= largestChunkCount) this.chunks.clear();
    this.chunks.set(index, chunk);
    return chunk;
  }

  private findSegments({ fromMs, toMs, offsetMs }: OffsetSegment, offsetAfterMs: number): OffsetSegment[] {
    if (offsetMs === offsetAfterMs) return [{ fromMs, toMs, offsetMs }];
    let before = fromMs;
    let after = toMs;
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2);
      if (this.offsetMs(middle) === offsetMs) before = middle;
      else after = middle;
    }
    const change = { fromMs, toMs: after, offsetMs };
    return after === toMs ? [change] : [change, { fromMs: after, toMs, offsetMs: offsetAfterMs }];
  }

  private offsetMs(atMs: number): number {
    return Math.round(this.zone.offset(atMs) * 60_000);
  }
}
