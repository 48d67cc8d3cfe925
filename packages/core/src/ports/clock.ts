/** Where a process reads the time. Leases, pacing and gates use the database's clock instead. */
export interface Clock {
  now(): Date;
}
