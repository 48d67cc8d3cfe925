import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const own = new Set<string>();

/** Creates a folder for recordings in progress, readable only by this user. Removes the folders of dead processes on this machine. */
export async function openSpool(parent = join(tmpdir(), 'outdial-recordings')) {
  await mkdir(parent, { recursive: true, mode: 0o700 });
  for (const name of await readdir(parent)) {
    const pid = Number(/^(\d+)-/.exec(name)?.[1] ?? Number.NaN);
    if (own.has(name) || (pid !== process.pid && isAlive(pid))) continue;
    await rm(join(parent, name), { recursive: true, force: true });
  }
  const folder = await mkdtemp(join(parent, `${process.pid}-`));
  const name = folder.slice(parent.length + 1);
  own.add(name);
  return {
    folder,
    async remove() {
      own.delete(name);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function isAlive(pid: number): boolean {
  if (Number.isNaN(pid)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
