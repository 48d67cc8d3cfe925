import type { CallNote } from '../tools/tool.ts';
import { withRetries } from '../with-retries.ts';

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

  async function untilSaved(reason: string): Promise<void> {
    const onFailure = (err: unknown, tried: number) =>
      args.log.error({ err, tried }, 'a person who asked for no more calls could not be suppressed');
    const saving = withRetries(() => save(reason), { onFailure, pause: args.pause });
    await saving.catch(() => args.note({ type: 'opt_out_failed' }));
  }

  function keepTrying(reason: string): void {
    trying ??= untilSaved(reason).finally(() => {
      trying = null;
    });
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
    /** Resolves once all requests are saved, or have failed. */
    async settled() {
      while (trying !== null) await trying;
    },
  };
}
