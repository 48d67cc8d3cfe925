/*
 * Makes the passwords of Postgres and Redis, once: one that exists already stays, since the database was made with it. The programs that
 * read them run as different users, so the files are readable by all who mount the volume.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.env.OUTDIAL_SECRETS_DIR || '/var/lib/outdial';

const redisPassword = newPassword();
make({ postgres_password: newPassword() });
// What Redis reads and what Outdial reads have to agree: both or neither.
make({
  'redis.conf': `requirepass ${redisPassword}\n`,
  redis_url: `redis://:${redisPassword}@redis:6379`,
});

function newPassword() {
  return randomBytes(32).toString('base64url');
}

function make(files) {
  const names = Object.keys(files);
  if (names.every((name) => existsSync(join(folder, name)))) {
    process.stdout.write(`${names.join(' and ')}: already there\n`);
    return;
  }
  for (const name of names) {
    const path = join(folder, name);
    // Written whole before it has its name: a start that was cut off leaves no half of a password.
    const fresh = `${path}.${process.pid}`;
    writeFileSync(fresh, files[name], { mode: 0o444, flag: 'wx' });
    rmSync(path, { force: true });
    linkSync(fresh, path);
    rmSync(fresh);
  }
  process.stdout.write(`${names.join(' and ')}: made\n`);
}
