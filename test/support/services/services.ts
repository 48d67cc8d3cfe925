import 'vitest';

export type QueueBackendName = 'postgres' | 'redis';

/** The services of a test run, as the main process passes them to its workers. */
export interface TestServices {
  postgres: {
    /** The maintenance database, to create and drop others. */
    adminUrl: string;
    /** The template, with all migrations; copied for each test file. */
    templateDatabase: string;
  };
  /** Null if this machine has no Redis and none could be downloaded. */
  redis: {
    url: string;
    /** Random for each run, so that runs can share a Redis, and a Redis with other data is never flushed. */
    prefix: string;
  } | null;
}

declare module 'vitest' {
  interface ProvidedContext {
    services: TestServices;
  }
}
