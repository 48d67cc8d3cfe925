import { join } from 'node:path';
import { lockDataDirectory, startEmbeddedPostgres } from '@outdial/local';

/** A Postgres of the run's own, on one port for as long as the run lasts. */
export interface PostgresServer {
  databaseUrl: string;
  /** An immediate shutdown, as a crash would be, and a new start with its recovery. */
  crashAndRestart(): Promise<void>;
  stop(): Promise<void>;
}

export async function startPostgresServer(folder: string): Promise<PostgresServer> {
  const directory = lockDataDirectory(join(folder, 'postgres'));
  let server = await startEmbeddedPostgres({ directory, durability: 'none' });
  const { databaseUrl, port } = server;
  return {
    databaseUrl,
    async crashAndRestart() {
      // Immediate: https://www.postgresql.org/docs/18/server-shutdown.html
      process.kill(server.serverPid, 'SIGQUIT');
      await server.exited;
      server = await startEmbeddedPostgres({ directory, durability: 'none', port });
    },
    async stop() {
      await server.stop();
      directory.release();
    },
  };
}
