/*
 * Generates the passwords of Postgres and Redis, unless they exist: the database was created with an existing one. The programs that read them
 * run as different users, so every user with access to the volume can read the files.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.env.OUTDIAL_SECRETS_DIR || '/var/lib/outdial';

const redisPassword = newPassword();
make({ postgres_password: newPassword() });
// Redis and Outdial must have the same password, so both files are written together.
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
    // Written under another name first, so that a start that is interrupted leaves no partial password.
    const fresh = `${path}.${process.pid}`;
    writeFileSync(fresh, files[name], { mode: 0o444, flag: 'wx' });
    rmSync(path, { force: true });
    linkSync(fresh, path);
    rmSync(fresh);
  }
  process.stdout.write(`${names.join(' and ')}: made\n`);
}
