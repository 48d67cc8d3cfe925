import { join } from 'node:path';

/** Where embedded Postgres keeps its things below a data directory. */
export interface PostgresLayout {
  pgData: string;
  /** Made here by initdb, then renamed: a first start that was interrupted leaves nothing half made behind. */
  pgDataFresh: string;
  passwordFile: string;
  log: string;
}

export function layoutOf(dataDirectory: string): PostgresLayout {
  return {
    pgData: join(dataDirectory, 'postgres'),
    pgDataFresh: join(dataDirectory, 'postgres.new'),
    passwordFile: join(dataDirectory, 'postgres-password'),
    log: join(dataDirectory, 'postgres.log'),
  };
}

/**
 * How the server names its data directory. An unprivileged user may own the directory and still be unable
 * to walk to it, below a folder that only root may enter; but it can be put there: the server starts with the
 * directory as its working directory, and `/proc/self/cwd` (proc(5)) leads into that without the walk.
 */
export function pathForServer(pgData: string, isOtherUser: boolean): string {
  return isOtherUser && process.platform === 'linux' ? '/proc/self/cwd' : pgData;
}

/** The server's environment: ours without `PGDATA`, `PGPORT` and the like. */
export const serverEnvironment: Readonly<Record<string, string>> = {
  PATH: process.env['PATH'] ?? '',
  LC_ALL: 'C',
  TZ: 'UTC',
};
