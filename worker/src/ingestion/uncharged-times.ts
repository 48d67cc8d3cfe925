import { chargeReading, type Db } from '@outdial/db';

/** Less is not worth a statement. */
const WORTH_CHARGING_MS = 50;

/** How long files of each organization were read, until it is written down. */
export class UnchargedTimes {
  readonly #db: Db;
  #used = new Map<string, number>();
  #sumMs = 0;

  constructor(db: Db) {
    this.#db = db;
  }

  add(organizationId: string, ms: number): void {
    this.#used.set(organizationId, (this.#used.get(organizationId) ?? 0) + ms);
    this.#sumMs += ms;
  }

  /** Writes them down before a claim, which goes by them. */
  async flush(): Promise<void> {
    if (this.#sumMs < WORTH_CHARGING_MS) return;
    const used = this.#used;
    this.#used = new Map();
    this.#sumMs = 0;
    await chargeReading(this.#db, used);
  }
}
