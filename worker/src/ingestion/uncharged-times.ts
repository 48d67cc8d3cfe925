import { chargeReading, type Db } from '@outdial/db';

/** Less time is not worth a statement. */
const worthChargingMs = 50;

/** Reading time by organization that is not yet in the database. */
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

  /** Has to run before a claim, which shares readers by these times. */
  async flush(): Promise<void> {
    if (this.#sumMs < worthChargingMs) return;
    const used = this.#used;
    this.#used = new Map();
    this.#sumMs = 0;
    await chargeReading(this.#db, used);
  }
}
