import { readFileSync } from 'node:fs';
import { z } from 'zod';

const manifest = z.object({ version: z.string() });

/** The release that this is, as its package says. */
export function readVersion(): string {
  const file = new URL('../package.json', import.meta.url);
  return manifest.parse(JSON.parse(readFileSync(file, 'utf8'))).version;
}
