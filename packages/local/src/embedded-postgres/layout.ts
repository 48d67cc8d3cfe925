import { join } from 'node:path';

/** The files of embedded Postgres in a data directory. */
export interface PostgresLayout {
  pgData: string;
  /** initdb creates the cluster here. It is renamed when it is complete, so an interrupted start leaves no half-made cluster. */
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
 * The path by which the server opens its data directory. An unprivileged user may own the directory but lack access to its parent folders. So
 * the server starts with the directory as its working directory, and `/proc/self/cwd` (proc(5)) leads there without passing the parents.
 */
export function pathForServer(pgData: string, isOtherUser: boolean): string {
  return isOtherUser && process.platform === 'linux' ? '/proc/self/cwd' : pgData;
}

/** Leaves out `PGDATA`, `PGPORT` and other variables that would change the server's settings. */
export const serverEnvironment: Readonly<Record<string, string>> = {
  PATH: process.env['PATH'] ?? '',
  LC_ALL: 'C',
  TZ: 'UTC',
};
