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
  const pending = new Set<Promise<void>>();

  async function save(reason: string): Promise<void> {
    await args.suppress(reason);
    args.note({ type: 'opted_out' });
  }

  /** @throws if it could not be saved; the next request tries again */
  function ask(reason: string): Promise<void> {
    const saving = (saved ??= save(reason));
    saving.catch(() => {
      if (saved === saving) saved = null;
    });
    return track(saving);
  }

  async function askByWords(): Promise<void> {
    const onFailure = (err: unknown, tried: number) =>
      args.log.error({ err, tried }, 'a person who asked for no more calls could not be suppressed');
    const asking = withRetries(() => ask('asked on a call'), { onFailure, pause: args.pause });
    await asking.catch(() => args.note({ type: 'opt_out_failed' }));
  }

  function track(work: Promise<void>): Promise<void> {
    const done = work.catch(() => undefined).finally(() => pending.delete(done));
    pending.add(done);
    return work;
  }

  return {
    ask,
    /** The person has asked in clear words. Tries again if it fails. */
    byWords: () => void track(askByWords()),
    /** Resolves once all requests are saved, or have failed. */
    async settled() {
      while (pending.size > 0) await Promise.all(pending);
    },
  };
}
