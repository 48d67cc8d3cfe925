import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { EmbeddedPostgresUnavailableError } from './errors.ts';

/** An unprivileged user of this machine. */
export interface ServerUser {
  uid: number;
  gid: number;
}

/** In order of preference: users meant for Postgres, then users that own no files. */
const preferredNames = ['postgres', '_postgres', 'nobody', 'daemon'];

/**
 * Chooses the user of the server: null for the user of this process. Postgres refuses to run as root, so a root process uses the owner of the
 * data, or else an unprivileged user that exists, because initdb needs a name.
 */
export function chooseServerUser(pgData: string): ServerUser | null {
  if (process.getuid?.() !== 0) return null;
  const owner = statSync(pgData, { throwIfNoEntry: false });
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };

  const users = parsePasswd(readFileSync('/etc/passwd', 'utf8'));
  const rank = (name: string) =>
    (preferredNames.indexOf(name) + preferredNames.length + 1) % (preferredNames.length + 1);
  const candidates = users
    .filter(({ uid, gid }) => uid > 0 && gid > 0)
    .toSorted((a, b) => rank(a.name) - rank(b.name));
  for (const { uid, gid } of candidates) {
    // A container may map only some of the ids in /etc/passwd.
    if (spawnSync('/bin/sh', ['-c', ':'], { uid, gid, cwd: '/', env: {} }).status === 0) return { uid, gid };
  }
  throw new EmbeddedPostgresUnavailableError('Postgres refuses to run as root, and no other user can run it');
}

/** Reads the format of passwd(5). */
export function parsePasswd(text: string): Array<{ name: string; uid: number; gid: number }> {
  return text.split('\n').flatMap((line) => {
    const [name, , uid, gid] = line.split(':');
    if (!name || name.startsWith('#') || !uid || !gid) return [];
    return [{ name, uid: Number(uid), gid: Number(gid) }];
  });
}
