import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { StartError } from '../start-error.ts';

/** A server to run under a supervisor, which stops it however this process ends. */
export interface SuperviseRequest {
  command: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** The server's output is appended to this file. */
  logPath: string;
  /** The signals that stop the server, each after a delay from the start of the stop. The last should be SIGKILL. */
  stopWith: ReadonlyArray<{ signal: NodeJS.Signals; afterMs: number }>;
  /** Default: the user of this process. */
  user?: { uid: number; gid: number };
}

export type SupervisorMessage =
  | { type: 'started'; pid: number }
  | { type: 'failed'; reason: string }
  | { type: 'exited'; code: number | null; signal: NodeJS.Signals | null };

export interface SupervisedChild {
  /** The server's own process. */
  pid: number;
  /** Resolves when the server has exited, for any reason. */
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  stop(): Promise<void>;
}

/** @throws ServerNotStartedError if the program cannot run */
export function superviseChild(request: SuperviseRequest): Promise<SupervisedChild> {
  const { promise: exited, resolve: resolveExited } =
    Promise.withResolvers<Awaited<SupervisedChild['exited']>>();

  const supervisor = fork(
    fileURLToPath(new URL('./child-supervisor.ts', import.meta.url)),
    [JSON.stringify(request)],
    {
      // In a separate session, so that Ctrl-C only reaches this process, which stops everything in order.
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
          exited,
          stop: async () => {
            if (supervisor.connected) supervisor.send('stop', () => {});
            await exited;
          },
        });
      }
    });
    supervisor.on('exit', (code, signal) => {
      // If the supervisor was killed, its server must not outlive it.
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
    // It has already exited.
  }
}

export class ServerNotStartedError extends StartError {
  constructor(command: string, reason: string) {
    super('server_not_started', `${command} could not be started: ${reason}`);
  }
}
