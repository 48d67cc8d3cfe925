import { startRestartLoop, type RestartLoop } from './restart-loop.ts';
import {
  type ProcessEnd,
  type ProcessSpec,
  type SupervisedProcesses,
  superviseProcesses,
} from './supervise.ts';

export interface WatchedProcess extends Omit<RestartLoop<ProcessEnd>, 'stop'> {
  stop(timeoutMs: number): Promise<void>;
}

export function watchProcess(
  spec: ProcessSpec,
  options: { onLine: (name: string, line: string) => void; firstPauseMs?: number },
): WatchedProcess {
  let current: SupervisedProcesses | undefined;
  const loop = startRestartLoop({
    name: `The ${spec.name} process`,
    runOnce() {
      current = superviseProcesses({ specs: [spec], onLine: options.onLine });
      return current.unexpectedEnd;
    },
    reasonOf: ({ code, signal }) => signal ?? `status ${code}`,
    firstPauseMs: options.firstPauseMs,
  });
  return {
    ...loop,
    async stop(timeoutMs) {
      // Not awaited, because a process that is stopped has no unexpected end.
      void loop.stop();
      await current?.stop(timeoutMs);
    },
  };
}
