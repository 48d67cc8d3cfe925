import { dirname } from 'node:path';

interface ChrootOptions {
  /** An empty folder. The box is mounted over it in a private namespace, so no other process sees it. */
  folder: string;
  readable: readonly string[];
  nodePath: string;
  /** Options of `prlimit`. */
  limits: readonly string[];
}

/** The libraries that Node is linked with. */
const libraries = ['/lib', '/lib64', '/usr/lib', '/usr/lib64', '/etc/ld.so.cache'];

/**
 * A script that mounts code, fonts and libraries read-only in the current mount namespace, and runs its arguments there. The mounts end with the
 * process.
 */
export function chrootScript({ folder, readable, nodePath, limits }: ChrootOptions) {
  const paths = [...libraries, dirname(nodePath), ...readable];
  const prepare = `set -e
PATH=/usr/sbin:/usr/bin:/sbin:/bin
box=${quoted(folder)}
chroot=$(command -v chroot)
mount -t tmpfs -o mode=0755,size=1m,nosuid,nodev outdial-box "$box"
for path in ${paths.map(quoted).join(' ')}; do
  [ -e "$path" ] || continue
  if [ -d "$path" ]; then mkdir -p "$box$path"; else mkdir -p "$box\${path%/*}"; : > "$box$path"; fi
  mount --bind "$path" "$box$path"
  mount -o remount,bind,ro,nosuid,nodev "$box$path"
done
mkdir -p "$box/proc"
mount -t proc -o ro,nosuid,nodev,noexec,hidepid=2 proc "$box/proc" 2>/dev/null || :
mount -o remount,bind,ro,nosuid,nodev "$box"
cd /
unset PWD OLDPWD SHLVL _ || :
`;
  const limited = `prlimit ${limits.join(' ')} -- setpriv --no-new-privs`;
  return {
    /** Run by root: switches to this user. */
    asUser: (user: number) =>
      `${prepare}exec ${limited} "$chroot" --groups= --userspec=+${user}:+${user} "$box" "$@"\n`,
    /** Keeps the shell as the first process of the PID namespace, because a process could not end itself by a signal in that role. */
    asInit: () => `${prepare}set +e\n${limited} "$chroot" "$box" "$@"\nexit $?\n`,
  };
}

function quoted(path: string): string {
  return `'${path.replaceAll("'", `'\\''`)}'`;
}
