import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { dirname } from 'node:path';

/** How an extraction process is isolated, from the strictest way to the one that works on every platform. */
type BoxKind = 'own_user' | 'own_namespaces' | 'permissions_only';

export interface Box {
  kind: BoxKind;
  /** Runs Node with these flags in the box. The caller appends a program and its arguments. */
  command(nodeFlags: readonly string[]): { execPath: string; execArgv: string[] };
}

const root = fileURLToPath(new URL('../../../../../', import.meta.url));

/** Our code, and the fonts and character maps of its packages. Nothing else is read. */
const readable = ['packages', 'node_modules', 'package.json'].map((name) => `${root}${name}`);

/**
 * Node's own restrictions: only these files, no writing, no processes, no native code. They restrict JavaScript; the box around the process restricts
 * native code too.
 */
export const permissionFlags: readonly string[] = [
  '--permission',
  ...readable.map((path) => `--allow-fs-read=${path}`),
  '--allow-worker',
  '--no-warnings',
];

/** A user id that no other program on the machine uses. */
const ownUser = 58_471;

/** Limits of the process: no core dumps, no written files, few open files. */
const limits = ['--core=0', '--fsize=0', '--nofile=256'];

/** The boxes that may work on this machine, strictest first. The last one always works. */
export function possibleBoxes(folder: string): Box[] {
  const unshare = find('unshare');
  const boxes: Box[] = [];
  if (process.platform === 'linux' && unshare !== null && toolsAreThere()) {
    const isRoot = process.getuid?.() === 0;
    const walls = ['--net', '--ipc', '--uts', '--mount'];
    const script = chrootScript({ folder, readable, nodePath: process.execPath, limits });
    if (isRoot) boxes.push(linuxBox('own_user', unshare, walls, script.asUser(ownUser)));
    const user = ['--user', '--map-root-user', ...walls, '--pid', '--mount-proc', '--fork', '--kill-child'];
    boxes.push(linuxBox('own_namespaces', unshare, user, script.asInit()));
  }
  return [...boxes, plainBox];
}

/** Only Node's permissions. */
export const plainBox: Box = {
  kind: 'permissions_only',
  command: (nodeFlags) => ({ execPath: process.execPath, execArgv: [...nodeFlags] }),
};

function linuxBox(kind: BoxKind, unshare: string, walls: readonly string[], script: string): Box {
  return {
    kind,
    command: (nodeFlags) => ({
      execPath: unshare,
      execArgv: [...walls, '--', '/bin/sh', '-c', script, 'box', process.execPath, ...nodeFlags],
    }),
  };
}

function toolsAreThere(): boolean {
  return ['mount', 'chroot', 'prlimit', 'setpriv'].every((name) => find(name) !== null);
}

function find(name: string): string | null {
  const paths = ['/usr/bin', '/bin', '/usr/sbin', '/sbin'].map((folder) => `${folder}/${name}`);
  return paths.find((path) => existsSync(path)) ?? null;
}

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

/** A script that mounts code, fonts and libraries read-only in the current mount namespace, and runs its arguments there. The mounts end with the process. */
function chrootScript({ folder, readable, nodePath, limits }: ChrootOptions) {
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
