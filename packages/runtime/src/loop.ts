export interface LoopOptions<Result> {
  readonly name: string;
  readonly log: { error(fields: object, message: string): void };
  readonly runOnce: () => Promise<Result>;
  /** The sleep after a round; 0 for none. */
  readonly waitMs: (result: Result) => number;
  /** The sleep before the first round. Default: 0. */
  readonly firstAfterMs?: number;
  /** The sleep after a failed round. Doubles with each further failure, up to 30 times as long. Default: 1000. */
  readonly retryAfterMs?: number;
  /** Called after each failed round. */
  readonly onFailure?: () => void;
}

export interface Loop {
  /** Ends the sleep. During a round, starts the next one right after it. */
  wake(): void;
  /** Starts no more rounds. Resolves when the current one has ended. */
  stop(): Promise<void>;
}

const maxBackoffFactor = 30;

/** Runs `runOnce` repeatedly, never twice at the same time. Logs a failure and retries later. */
export function startLoop<Result>({
  name,
  log,
  runOnce,
  waitMs,
  firstAfterMs = 0,
  retryAfterMs = 1_000,
  onFailure,
}: LoopOptions<Result>): Loop {
  let stopped = false;
  let woken = false;
  let endSleep: (() => void) | undefined;

  function wake(): void {
    woken = true;
    endSleep?.();
  }

  async function sleep(durationMs: number): Promise<void> {
    if (woken || stopped || durationMs <= 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, durationMs);
      endSleep = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    endSleep = undefined;
  }

  async function run(): Promise<void> {
    let failures = 0;
    await sleep(firstAfterMs);
    while (!stopped) {
      woken = false;
      let pauseMs: number;
      try {
        pauseMs = waitMs(await runOnce());
        failures = 0;
      } catch (error) {
        log.error({ loop: name, err: error }, 'a round failed');
        onFailure?.();
        pauseMs = retryAfterMs * Math.min(2 ** failures, maxBackoffFactor);
        failures += 1;
      }
      await sleep(pauseMs);
    }
  }

  const ended = run();
  return {
    wake,
    stop() {
      stopped = true;
      endSleep?.();
      return ended;
    },
  };
}
