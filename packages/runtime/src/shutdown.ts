import type { Logger } from './logger.ts';

/** Clean-up steps before the process exits. They run one by one in reverse order. */
export class Shutdown {
  readonly #steps: Array<{ readonly name: string; readonly close: () => Promise<unknown> | void }> = [];
  readonly #aborted = new AbortController();
  #running: string | undefined;

  get signal(): AbortSignal {
    return this.#aborted.signal;
  }

  add(name: string, close: () => Promise<unknown> | void): void {
    this.#steps.push({ name, close });
  }

  /** Logs a step that fails and runs the others. Returns whether all ended in time. */
  async run(log: Pick<Logger, 'error'>, deadlineMs: number): Promise<boolean> {
    this.#aborted.abort();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), deadlineMs);
    });
    try {
      const inTime = await Promise.race([this.#closeAll(log), late]);
      if (!inTime) log.error({ step: this.#running }, 'shutdown took too long');
      return inTime;
    } finally {
      clearTimeout(timer);
    }
  }

  async #closeAll(log: Pick<Logger, 'error'>): Promise<true> {
    for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop()) {
      this.#running = step.name;
      try {
        await step.close();
      } catch (error) {
        log.error({ step: step.name, err: error }, 'a shutdown step failed');
      }
    }
    return true;
  }
}
