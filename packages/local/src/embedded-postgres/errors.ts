/** Embedded Postgres cannot run on this machine at all; one line says why and what to do instead. */
export class EmbeddedPostgresUnavailableError extends Error {
  readonly code = 'embedded_postgres_unavailable';

  constructor(reason: string) {
    super(`Embedded Postgres is not available: ${reason}. Set DATABASE_URL to a Postgres of your own.`);
    this.name = 'EmbeddedPostgresUnavailableError';
  }
}

/** The port that was asked for belongs to another program. */
export class PortTakenError extends Error {
  readonly code = 'port_taken';

  constructor(port: number, purpose: string) {
    super(`Port ${port}, wanted for ${purpose}, is taken by another program.`);
    this.name = 'PortTakenError';
  }
}
