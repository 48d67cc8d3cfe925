import { createReadStream, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { CliError } from './cli-error.ts';
import type { CliContext } from './cli-context.ts';

export function openFile(context: CliContext, path: string): Readable {
  return createReadStream(existing(context, path));
}

export function readText(context: CliContext, path: string): string {
  return readFileSync(existing(context, path), 'utf8');
}

function existing(context: CliContext, path: string): string {
  const full = resolve(context.workingDirectory, path);
  if (statSync(full, { throwIfNoEntry: false })?.isFile() !== true) {
    throw new CliError('file_not_found', `there is no file ${path}`);
  }
  return full;
}
