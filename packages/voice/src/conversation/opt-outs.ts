import { setTimeout as delay } from 'node:timers/promises';
import type { CallNote } from '../tools/tool.ts';
import { withRetries } from '../with-retries.ts';

/** After so many failures, in six seconds, the call goes on. */
const noteFailedAfter = 4;
/** Half an hour: longer than a failover of the database. */
const triesAtMost = 450;

export type OptOuts = ReturnType<typeof createOptOuts>;

/** The opt-out of one call, whether its model or the words of the person ask for it. The number is suppressed once. */
export function createOptOuts(args: {
  /** Resolves after the commit. */
  suppress: (reason: string) => Promise<void>;
  note: (note: CallNote) => void;
  log: { error(fields: object, message: string): void };
  pause?: (ms: number) => Promise<void>;
}) {
  let saved: Promise<void> | null = null;
  let trying: Promise<void> | null = null;

  async function suppress(reason: string): Promise<void> {
    await args.suppress(reason);
    args.note({ type: 'opted_out' });
  }

  /** @throws if it could not be saved; the next request tries again */
  function save(reason: string): Promise<void> {
    const saving = (saved ??= suppress(reason));
    saving.catch(() => {
      if (saved === saving) saved = null;
    });
    return saving;
  }

  /** Resolves once it is saved or has failed four times. It is tried on after the call, and does not keep the process from ending. */
  function untilKnown(reason: string): Promise<void> {
    return new Promise((resolve) => {
      let tries = 0;
      const onFailure = (err: unknown, tried: number) => {
        tries = tried;
        args.log.error({ err, tried }, 'a person who asked for no more calls could not be suppressed');
        if (tried !== noteFailedAfter) return;
        args.note({ type: 'opt_out_failed' });
        resolve();
      };
      const goesOn = () => tries < triesAtMost;
      const pause = args.pause ?? ((ms: number) => delay(ms, undefined, { ref: false }));
      const saving = withRetries(() => save(reason), { onFailure, goesOn, pause });
      void saving.then(resolve, () => {
        trying = null;
      });
    });
  }

  function keepTrying(reason: string): void {
    trying ??= untilKnown(reason);
  }

  return {
    /**
     * The model has understood that the person wants no more calls.
     * @throws if it could not be saved at once; it is tried again all the same
     */
    ask(reason: string): Promise<void> {
      keepTrying(reason);
      return save(reason);
    },
    /** The person has asked in clear words. */
    byWords: () => keepTrying('asked on a call'),
    /** Resolves once the request is saved, or is known to wait for the database. */
    settled: () => trying ?? Promise.resolve(),
  };
}
