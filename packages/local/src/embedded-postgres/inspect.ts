import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The state of the cluster's directory. */
export type ClusterState = { state: 'absent' } | { state: 'present' } | { state: 'damaged'; reason: string };

/** The embedded server's major version. It cannot read the data of another. */
const majorVersion = '18';

/** Checks the files without starting the server. The server itself reports deeper damage. */
export function inspectCluster(pgData: string): ClusterState {
  const stats = statSync(pgData, { throwIfNoEntry: false });
  if (!stats) return { state: 'absent' };
  if (!stats.isDirectory()) return { state: 'damaged', reason: `${pgData} is not a folder` };
  if (readdirSync(pgData).length === 0) return { state: 'absent' };

  const version = readVersion(pgData);
  if (version === null) return { state: 'damaged', reason: 'its PG_VERSION is missing' };
  if (!/^\d+$/.test(version)) return { state: 'damaged', reason: 'its PG_VERSION is not a version' };
  if (version !== majorVersion) {
    return {
      state: 'damaged',
      reason: `it was written by Postgres ${version}, and this is ${majorVersion}`,
    };
  }
  const control = statSync(join(pgData, 'global', 'pg_control'), { throwIfNoEntry: false });
  if (!control) return { state: 'damaged', reason: 'its global/pg_control is missing' };
  return { state: 'present' };
}

function readVersion(pgData: string): string | null {
  try {
    return readFileSync(join(pgData, 'PG_VERSION'), 'utf8').trim();
  } catch {
    return null;
  }
}
