import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { LocalStackFile } from '@outdial/cli';
import type { Role } from '@outdial/db';
import { writePrivateJson } from './private-file.ts';

/** Tells other programs how to use a running stack. */
export interface ReadyFile {
  base_url: string;
  organization_id: string;
  agent_id: string;
  keys: Record<Role, string>;
  ops: { user: string; password: string };
}

/** The files that exist while a stack runs: `ready.json` tells other programs how to use it, `database.json` has the settings of the `outdial` command line. */
export function openRunFiles(dataDir: string) {
  const ready = join(dataDir, 'ready.json');
  const database = join(dataDir, 'database.json');
  const remove = () => {
    for (const path of [ready, database]) rmSync(path, { force: true });
  };
  // This process holds the lock of the directory, so existing files are those of a killed stack.
  const wasKilled = existsSync(ready) || existsSync(database);
  remove();
  return {
    /** Whether the last stack on this directory was killed. */
    wasKilled,
    announceDatabase: (file: LocalStackFile) => writePrivateJson(database, file),
    announceReady: (file: ReadyFile) => writePrivateJson(ready, file),
    remove,
  };
}
