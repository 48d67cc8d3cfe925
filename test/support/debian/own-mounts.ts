import { spawnSync } from 'node:child_process';

/*
 * A program that mounts things, in its own namespaces: no other process sees its mounts, so no `rm -rf` of a folder in which it worked
 * walks into the machine's own /proc, and they are gone with it, however it ends. It ends with the process that started it:
 * setpriv has unshare killed with that one, and unshare is the parent of the program, whose end is that of its whole PID namespace.
 * Both are of util-linux, which every Debian has. prctl(2), PR_SET_PDEATHSIG; pid_namespaces(7); mount_namespaces(7).
 */
const diesWithStarter = ['setpriv', '--pdeathsig', 'KILL'];
const inNamespaces = ['unshare', '--mount', '--propagation', 'private', '--pid', '--fork', '--kill-child'];

/** Ended early by SIGKILL only: unshare leaves SIGTERM to the program, which is the first of its namespace and hears what it handles. */
export function withOwnMounts(
  command: string,
  args: readonly string[],
): { command: string; args: readonly string[] } {
  const [first = '', ...rest] = [...diesWithStarter, ...inNamespaces, command, ...args];
  return { command: first, args: rest };
}

/** Why there are no such namespaces here; null if there are. They take root, and in a container CAP_SYS_ADMIN. */
export function noOwnMounts(): string | null {
  const { command, args } = withOwnMounts('true', []);
  const { status, error, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  if (status === 0) return null;
  return error ? `${command} of util-linux: ${error.message}` : stderr.trim();
}
