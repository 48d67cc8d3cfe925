import { dayMs } from '../local-date.ts';
import type { ForecastCase } from './forecast-case.ts';

/** The remaining calls of caller ids in any 24 hours, on a virtual clock. Without caller ids there is no limit. */
export class RollingCapacity {
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
