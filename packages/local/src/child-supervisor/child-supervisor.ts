import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import type { SupervisorMessage, SuperviseRequest } from './supervise-child.ts';

/*
 * Runs a server such as Postgres or Redis for the process that started this program. When their IPC channel closes, even because that process
 * was killed, the supervisor stops the server and exits. It does nothing else, so that nothing can keep it from doing this.
 */

// Only `superviseChild` starts this program, and writes this argument.
const request = JSON.parse(process.argv[2] ?? '') as SuperviseRequest;
const log = openSync(request.logPath, 'a', 0o600);

const server = spawn(request.command, request.args, {
  cwd: request.cwd,
  env: request.env,
  stdio: ['ignore', log, log],
  ...(request.user && { uid: request.user.uid, gid: request.user.gid }),
});

server.on('spawn', () => tell({ type: 'started', pid: server.pid ?? 0 }));
server.on('error', (error) => {
  tell({ type: 'failed', reason: error.message });
  process.disconnect?.();
});
server.on('exit', (code, signal) => {
  tell({ type: 'exited', code, signal });
  if (process.connected) process.disconnect();
  process.exit(0);
});

let stopping = false;
function stop() {
  if (stopping) return;
  stopping = true;
  if (server.pid === undefined) process.exit(0);
  for (const { signal, afterMs } of request.stopWith) setTimeout(() => server.kill(signal), afterMs);
}

process.on('disconnect', stop);
process.on('message', stop);
// A signal to the whole process group must stop the server too.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);

function tell(message: SupervisorMessage) {
  if (process.connected) process.send?.(message);
}
