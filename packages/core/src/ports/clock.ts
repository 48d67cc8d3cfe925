/** The source of time of a process. Leases, pacing and gates use the database's clock instead. */
export interface Clock {
  now(): Date;
  /** Milliseconds since some instant. Never goes back, unlike `now` when the machine's clock is set. */
  monotonicMs(): number;
}
