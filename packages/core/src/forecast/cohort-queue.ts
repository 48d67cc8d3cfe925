import TinyQueue from 'tinyqueue';
import type { ForecastGroup } from './forecast-case.ts';

/** People with the same future from here on. */
export interface Cohort extends ForecastGroup {
  lastDate: string;
  /** The dials of each person, for caps; people of one cohort are treated as alike. */
  dials: readonly number[];
  isCapped: boolean;
}

interface Waiting {
  cohort: Cohort;
  /** The same for cohorts that cannot be told apart. */
  name: string;
}

/** Cohorts that wait, the longest due first. Those that cannot be told apart become one, so that there are no more than rules can tell. */
export class CohortQueue {
  readonly #queue = new TinyQueue<Waiting>([], (one, other) => one.cohort.dueMs - other.cohort.dueMs);
  readonly #byName = new Map<string, Cohort>();

  get isEmpty(): boolean {
    return this.#queue.length === 0;
  }

  /** The longest due, which stays. */
  peek(): Cohort | undefined {
    return this.#queue.peek()?.cohort;
  }

  /** Takes the longest due out. */
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
