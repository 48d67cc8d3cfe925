import TinyQueue from 'tinyqueue';
import type { ForecastGroup } from './forecast-case.ts';

/** People with the same future. */
export interface Cohort extends ForecastGroup {
  lastDate: string;
  /** The dials of each person, for caps. People of a cohort are treated alike. */
  dials: readonly number[];
  isCapped: boolean;
}

interface Waiting {
  cohort: Cohort;
  /** Equal for indistinguishable cohorts. */
  name: string;
}

/** Waiting cohorts, the longest due first. Merges indistinguishable ones, so that the rules bound their number. */
export class CohortQueue {
  readonly #queue = new TinyQueue<Waiting>([], (one, other) => one.cohort.dueMs - other.cohort.dueMs);
  readonly #byName = new Map<string, Cohort>();

  get isEmpty(): boolean {
    return this.#queue.length === 0;
  }

  peek(): Cohort | undefined {
    return this.#queue.peek()?.cohort;
  }

  take(): Cohort | undefined {
    const first = this.#queue.pop();
    if (first === undefined) return undefined;
    this.#byName.delete(first.name);
    return first.cohort;
  }

  add(cohort: Cohort): void {
    const { key, dueMs, attempts, round, roundAttempts, lastDate } = cohort;
    const name = `${key} ${dueMs} ${attempts} ${round} ${roundAttempts} ${lastDate}`;
    const same = this.#byName.get(name);
    if (same !== undefined) {
      same.count += cohort.count;
      return;
    }
    this.#byName.set(name, cohort);
    this.#queue.push({ cohort, name });
  }

  /** In no order. */
  all(): Iterable<Cohort> {
    return this.#byName.values();
  }
}
