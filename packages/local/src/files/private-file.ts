import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import type { z } from 'zod';

/** Writes a file atomically. Only its owner can read it. */
export function writePrivateJson(path: string, value: unknown): void {
  const fresh = `${path}.new`;
  rmSync(fresh, { force: true });
  // `wx` refuses to follow a planted link.
  const file = openSync(fresh, 'wx', 0o600);
  try {
    writeSync(file, `${JSON.stringify(value, null, 2)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(fresh, path);
}

/** Null if the file is missing or invalid. */
export function readJson<Value>(path: string, schema: z.ZodType<Value>): Value | null {
  try {
    return schema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return null;
  }
}
