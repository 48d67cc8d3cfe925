import { spawnSync } from 'node:child_process';

/*
 * Runs a program that mounts file systems in its own namespaces. No other process sees its mounts, so that `rm -rf` of its folder cannot enter the
 * machine's /proc, and the mounts disappear when the program ends. The program ends with the process that started it: setpriv makes the kernel kill
 * unshare when its parent dies, unshare is the parent of the program, and the end of the program ends its PID namespace. Both are part of util-linux,
 * which every Debian has. See prctl(2), PR_SET_PDEATHSIG; pid_namespaces(7); mount_namespaces(7).
 */
const diesWithStarter = ['setpriv', '--pdeathsig', 'KILL'];
const inNamespaces = ['unshare', '--mount', '--propagation', 'private', '--pid', '--fork', '--kill-child'];

/** Kill it with SIGKILL: unshare forwards SIGTERM to the program, which is process 1 of its namespace and only gets signals that it handles. */
export function withOwnMounts(
  command: string,
  args: readonly string[],
): { command: string; args: readonly string[] } {
  const [first = '', ...rest] = [...diesWithStarter, ...inNamespaces, command, ...args];
  return { command: first, args: rest };
}

/** Why this machine cannot create the namespaces; null if it can. They need root, and in a container CAP_SYS_ADMIN. */
export function noOwnMounts(): string | null {
  const { command, args } = withOwnMounts('true', []);
  const { status, error, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  if (status === 0) return null;
  return error ? `${command} of util-linux: ${error.message}` : stderr.trim();
}
