import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import type { SupervisorMessage, SuperviseRequest } from './supervise-child.ts';

/*
 * The supervisor stands between a process of ours and a server that is not ours (Postgres, Redis). It is tied
 * to the process that started it by an IPC channel: when that closes, even because its owner was killed,
 * the supervisor stops the server and ends. It does nothing else, so that nothing can keep it from doing this.
 */

// The reason for the cast: this program is started by keep.ts only, which writes this argument.
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
// A signal meant for the whole group must not leave the server behind.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);

function tell(message: SupervisorMessage) {
  if (process.connected) process.send?.(message);
}
