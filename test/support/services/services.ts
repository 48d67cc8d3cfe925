import 'vitest';

export type QueueBackendName = 'postgres' | 'redis';

/** The services of one run of the tests, as the main process tells its workers. */
export interface TestServices {
  postgres: {
    /** The server's own database, for making and dropping others. */
    adminUrl: string;
    /** Migrated, and copied for each test file. */
    templateDatabase: string;
  };
  /** Null if this machine has none and none could be brought in. */
  redis: {
    url: string;
    /** Random for each run: a Redis that is not ours is never flushed, and two runs do not meet. */
    prefix: string;
  } | null;
}

declare module 'vitest' {
  interface ProvidedContext {
    services: TestServices;
  }
}
