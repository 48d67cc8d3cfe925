import { join } from 'node:path';
import { lockDataDirectory, startEmbeddedPostgres } from '@outdial/local';

/** The run's own Postgres. Its port stays the same over restarts. */
export interface PostgresServer {
  databaseUrl: string;
  /** An immediate shutdown, like a crash, and a restart with recovery. */
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
