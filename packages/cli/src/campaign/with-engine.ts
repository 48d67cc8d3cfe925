import type { Db } from '@outdial/db';
import type { StatusDeps } from '@outdial/engine';
import { telephonyEnv } from '@outdial/providers/environment';
import { openPublisher } from '@outdial/queues';
import { loadEnv, queueEnv } from '@outdial/runtime';
import type { CliContext } from '../cli-context.ts';
import { environmentOf } from '../open-database.ts';

/** Runs `work` with the engine's dependencies for changes of campaigns, and the configured queues. */
export async function withEngine<T>(
  context: CliContext,
  db: Db,
  work: (deps: StatusDeps) => Promise<T>,
): Promise<T> {
  const env = environmentOf(context);
  const { queue } = loadEnv({ queue: queueEnv }, env);
  const log = quietLog(context);
  const publisher = openPublisher(queue, { log });
  try {
    return await work({
      db,
      publisher,
      log,
      // Only a start needs these settings. A campaign can be paused even if its carrier's settings are invalid.
      get installationProvider() {
        return loadEnv({ telephony: telephonyEnv }, env).telephony.provider;
      },
    });
  } finally {
    await publisher.close();
  }
}

/** The engine's log for a command line: warnings and errors, one line each. */
function quietLog({ err }: CliContext): StatusDeps['log'] {
  const tell = (_fields: object, message: string) => err.write(`outdial: ${message}\n`);
  return { debug: () => undefined, info: () => undefined, warn: tell, error: tell };
}
