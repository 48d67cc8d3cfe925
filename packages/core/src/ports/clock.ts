/** The source of time of a process. Leases, pacing and gates use the database's clock instead. */
export interface Clock {
  now(): Date;
}
