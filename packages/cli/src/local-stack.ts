import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';

const localStackFile = z.object({
  database_url: z.string(),
  /** Variables of the stack's processes that concern the command line too, such as JWT_SECRET. */
  settings: z.record(z.string(), z.string()).default({}),
});

/** The content of a running local stack's `<data-dir>/database.json`, readable by its owner only. */
export type LocalStackFile = z.output<typeof localStackFile>;

export function findLocalStack(dataDirectory: string): LocalStackFile | null {
  try {
    return localStackFile.parse(JSON.parse(readFileSync(resolve(dataDirectory, 'database.json'), 'utf8')));
  } catch {
    return null;
  }
}
