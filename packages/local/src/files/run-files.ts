import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { LocalStackFile } from '@outdial/cli';
import type { Role } from '@outdial/db';
import { writePrivateJson } from './private-file.ts';

/** The files that other programs read to use a ready stack. */
export interface ReadyFile {
  base_url: string;
  organization_id: string;
  agent_id: string;
  keys: Record<Role, string>;
  ops: { user: string; password: string };
}

/**
 * The files that say that a stack runs: `ready.json` how to use it, `database.json` what the `outdial` command line needs.
 * They are there while it runs only.
 */
export function openRunFiles(dataDir: string) {
  const ready = join(dataDir, 'ready.json');
  const database = join(dataDir, 'database.json');
  const remove = () => {
    for (const path of [ready, database]) rmSync(path, { force: true });
  };
  // Left by a stack that was killed: only now, with the lock in hand, are they known to be unused.
  const wasKilled = existsSync(ready) || existsSync(database);
  remove();
  return {
    /** Whether the last stack on this directory did not come to an orderly end. */
    wasKilled,
    announceDatabase: (file: LocalStackFile) => writePrivateJson(database, file),
    announceReady: (file: ReadyFile) => writePrivateJson(ready, file),
    remove,
  };
}
