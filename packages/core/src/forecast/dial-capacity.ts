import { dayMs } from '../local-date.ts';
import type { Bottleneck, ForecastCase } from './forecast-case.ts';

interface DayLimit {
  limit: Bottleneck;
  left: number;
}

const unlimited: DayLimit = { limit: 'lines', left: Number.POSITIVE_INFINITY };

/** How many dials are possible in each step of a virtual clock: limited by lines, pace, the limits of the day, and caller ids. */
export class DialCapacity {
  readonly #of: ForecastCase;
  readonly #stepMs: number;
  readonly #meanMs: number;
  /** In short steps, calls occupy lines for their length. In long ones, each line makes several calls in a step. */
  readonly #tracksLines: boolean;
  /** Lines that are released, by step. */
  readonly #freeing = new Map<number, number>();
  #inUse = 0;
  #credit = 0;
  #day: number;
  /** What each limit of the day leaves. */
  #ofDay: DayLimit[];
  readonly #callerIds: RollingCapacity;

  /** @param meanMs the mean length of a call */
  constructor(of: ForecastCase, { stepMs, meanMs }: { stepMs: number; meanMs: number }) {
    this.#of = of;
    this.#stepMs = stepMs;
    this.#meanMs = meanMs;
    this.#tracksLines = stepMs * 3 <= meanMs;
    this.#day = Math.floor(of.nowMs / dayMs);
    this.#ofDay = of.daily.map(({ limit, leftToday: left }) => ({ limit, left }));
    this.#callerIds = new RollingCapacity(of, stepMs);
  }

  /** Releases the lines of calls that have ended by a step, and begins its day. */
  moveTo(step: number): void {
    for (const [at, lines] of this.#freeing) {
      if (at > step) continue;
      this.#inUse -= lines;
      this.#freeing.delete(at);
    }
    this.#callerIds.moveTo(step);
    const { daily, nowMs } = this.#of;
    const day = Math.floor((nowMs + step * this.#stepMs) / dayMs);
    if (day <= this.#day) return;
    this.#day = day;
    this.#ofDay = daily.map(({ limit, perDay: left }) => ({ limit, left }));
  }

  /** Call this once per step: a fraction of a call is carried over to the next one. */
  mostDials(): { most: number; limit: Bottleneck } {
    const { lines, callsPerSecond } = this.#of;
    const byLines = this.#tracksLines
      ? Math.max(0, lines - this.#inUse)
      : (lines * this.#stepMs) / this.#meanMs;
    const byPace =
      callsPerSecond === null ? Number.POSITIVE_INFINITY : (callsPerSecond * this.#stepMs) / 1000;
    const most = Math.min(byLines, byPace);
    const whole = Math.floor(most + this.#credit);
    this.#credit = Math.min(1, most + this.#credit - whole);
    const ofCallerIds = this.#callerIds.left;
    const ofDay = this.#ofDay.reduce((least, one) => (one.left < least.left ? one : least), unlimited);
    if (ofCallerIds < Math.min(whole, ofDay.left)) return { most: ofCallerIds, limit: 'caller_id' };
    if (ofDay.left < whole) return { most: Math.max(0, ofDay.left), limit: ofDay.limit };
    return { most: whole, limit: byPace < byLines ? 'calls_per_second' : 'lines' };
  }

  countDials(count: number, step: number): void {
    for (const one of this.#ofDay) one.left -= count;
    this.#callerIds.take(count, step);
  }

  occupyLines(count: number, step: number, callMs: number): void {
    if (!this.#tracksLines) return;
    const freeAt = step + Math.max(1, Math.round(callMs / this.#stepMs));
    this.#inUse += count;
    this.#freeing.set(freeAt, (this.#freeing.get(freeAt) ?? 0) + count);
  }

  /** The next step in which a call can be dialed. */
  nextFreeStep(step: number, limit: Bottleneck): number {
    if (this.#ofDay.some((one) => one.limit === limit)) {
      const nextDayMs = (this.#day + 1) * dayMs - this.#of.nowMs;
      return Math.max(step + 1, Math.ceil(nextDayMs / this.#stepMs));
    }
    if (limit === 'caller_id') return Math.max(step + 1, this.#callerIds.nextStep);
    if (limit === 'lines' && this.#freeing.size > 0) {
      return Math.max(step + 1, Math.min(...this.#freeing.keys()));
    }
    return step + 1;
  }
}

/** The remaining calls of caller ids in any 24 hours, on a virtual clock. Without caller ids there is no limit. */
class RollingCapacity {
  readonly #isLimited: boolean;
  readonly #stepsOfDay: number;
  /** In the order of their steps. */
  readonly #freeing: Array<{ step: number; calls: number }>;
  #next = 0;
  #left: number;

  constructor({ callerIds, nowMs }: Pick<ForecastCase, 'callerIds' | 'nowMs'>, stepMs: number) {
    this.#isLimited = callerIds !== null;
    this.#stepsOfDay = Math.ceil(dayMs / stepMs);
    this.#left = callerIds?.left ?? Number.POSITIVE_INFINITY;
    this.#freeing = (callerIds?.freeing ?? []).map(({ atMs, calls }) => ({
      step: Math.ceil((atMs - nowMs) / stepMs),
      calls,
    }));
  }

  get left(): number {
    return this.#left;
  }

  /** When calls are free again; past every forecast if never. */
  get nextStep(): number {
    return this.#freeing[this.#next]?.step ?? Number.MAX_SAFE_INTEGER;
  }

  moveTo(step: number): void {
    for (let one = this.#freeing[this.#next]; one !== undefined && one.step <= step;) {
      this.#left += one.calls;
      this.#next += 1;
      one = this.#freeing[this.#next];
    }
  }

  /** Calls of a step count for a day. */
  take(calls: number, step: number): void {
    if (!this.#isLimited) return;
    this.#left -= calls;
    const freed = { step: step + this.#stepsOfDay, calls };
    // Only rests may end later.
    const place = this.#freeing.findLastIndex((one) => one.step <= freed.step) + 1;
    this.#freeing.splice(Math.max(place, this.#next), 0, freed);
  }
}
