import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** A server to run under a supervisor, which stops it when this process ends in any way. */
export interface SuperviseRequest {
  command: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** Gets the server's output, appended. */
  logPath: string;
  /** The signals that stop the server, each that long after the stop began. The last should be SIGKILL. */
  stopWith: ReadonlyArray<{ signal: NodeJS.Signals; afterMs: number }>;
  /** The user that the server runs as; by default the user of this process. */
  user?: { uid: number; gid: number };
}

export type SupervisorMessage =
  | { type: 'started'; pid: number }
  | { type: 'failed'; reason: string }
  | { type: 'exited'; code: number | null; signal: NodeJS.Signals | null };

export interface SupervisedChild {
  /** The server's own process. */
  pid: number;
  supervisorPid: number;
  /** Fulfilled when the server has ended, for any reason. */
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** Begins the stop and waits for its end. */
  stop(): Promise<void>;
}

/** Starts the server. Rejects with `ServerNotStartedError` where its program cannot be run at all. */
export function superviseChild(request: SuperviseRequest): Promise<SupervisedChild> {
  const { promise: exited, resolve: resolveExited } = Promise.withResolvers<{
    code: number | null;
    signal: NodeJS.Signals | null;
  }>();

  const supervisor = fork(
    fileURLToPath(new URL('./child-supervisor.ts', import.meta.url)),
    [JSON.stringify(request)],
    {
      // In a session of its own: Ctrl-C in a terminal reaches the owner, which stops things in order.
      detached: true,
      execArgv: [],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    },
  );

  return new Promise((resolve, reject) => {
    let serverPid: number | null = null;
    supervisor.on('error', reject);
    supervisor.on('message', (message: SupervisorMessage) => {
      if (message.type === 'failed') reject(new ServerNotStartedError(request.command, message.reason));
      if (message.type === 'exited') resolveExited({ code: message.code, signal: message.signal });
      if (message.type === 'started') {
        serverPid = message.pid;
        resolve({
          pid: message.pid,
          supervisorPid: supervisor.pid ?? 0,
          exited,
          stop: async () => {
            if (supervisor.connected) supervisor.send('stop', () => {});
            await exited;
          },
        });
      }
    });
    supervisor.on('exit', (code, signal) => {
      // The supervisor was killed: what it kept must not outlive it either.
      if (serverPid !== null && signal !== null) {
        killQuietly(serverPid, request.stopWith[0]?.signal ?? 'SIGTERM');
      }
      resolveExited({ code, signal });
      reject(new ServerNotStartedError(request.command, `its supervisor ended (${signal ?? code})`));
    });
  });
}

function killQuietly(pid: number, signal: NodeJS.Signals) {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended already.
  }
}

export class ServerNotStartedError extends Error {
  readonly code = 'server_not_started';

  constructor(command: string, reason: string) {
    super(`${command} could not be started: ${reason}`);
    this.name = 'ServerNotStartedError';
  }
}
