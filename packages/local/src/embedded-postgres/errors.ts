import { StartError } from '../start-error.ts';

/** Embedded Postgres cannot run on this machine. */
export class EmbeddedPostgresUnavailableError extends StartError {
  constructor(reason: string) {
    super(
      'embedded_postgres_unavailable',
      `Embedded Postgres is not available: ${reason}. Set DATABASE_URL to use another Postgres.`,
    );
  }
}

/** Another program uses the requested port. */
export class PortTakenError extends StartError {
  constructor(port: number, purpose: string) {
    super('port_taken', `Port ${port} for ${purpose} is taken by another program.`);
  }
}
