import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Finds a program on the PATH or in the sbin folders, which not every PATH has. */
export function onPath(name: string): string | null {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin'];
  for (const folder of folders) {
    const file = join(folder, name);
    try {
      accessSync(file, constants.X_OK);
      if (folder !== '') return file;
    } catch {
      // Not here.
    }
  }
  return null;
}
