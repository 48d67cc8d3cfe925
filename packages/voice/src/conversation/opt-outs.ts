import { setTimeout as delay } from 'node:timers/promises';
import type { CallNote } from '../tools/tool.ts';
import { withRetries } from '../with-retries.ts';

/** After so many failures, in six seconds, the call goes on. */
const noteFailedAfter = 4;
/** Half an hour: longer than a failover of the database. */
const triesAtMost = 450;

export type OptOuts = ReturnType<typeof createOptOuts>;

/** A person's request for no more calls, as the record keeps it. */
export interface AskedOnCall {
  reason: string;
  channel: 'call' | 'call_key' | 'call_speech';
  /** What the person said; null for a key, and if nothing of it was understood. */
  words: string | null;
  receivedAt: Date;
}

const wordsAtMost = 2_000;
/** As Postgres can store it. */
const clipped = (words: string) => words.slice(0, wordsAtMost).toWellFormed().replaceAll('\u0000', '\uFFFD');

/** The opt-out of one call, whether its model, the words of the person or the key ask for it. The number is suppressed once. */
export function createOptOuts(args: {
  /** Resolves after the commit. */
  suppress: (asked: AskedOnCall) => Promise<void>;
  now: () => Date;
  note: (note: CallNote) => void;
  log: { error(fields: object, message: string): void };
  pause?: (ms: number) => Promise<void>;
}) {
  let saved: Promise<void> | null = null;
  let trying: Promise<void> | null = null;
  let over: Promise<void> = Promise.resolve();
  let isCut = () => false;
  let lastWords: string | null = null;

  async function suppress(asked: AskedOnCall): Promise<void> {
    await args.suppress(asked);
    args.note({ type: 'opted_out' });
  }

  /** @throws if it could not be saved; the next request tries again */
  function save(asked: AskedOnCall): Promise<void> {
    const saving = (saved ??= suppress(asked));
    saving.catch(() => {
      if (saved === saving) saved = null;
    });
    return saving;
  }

  /** Tries on after the call. */
  function keepTrying(asked: AskedOnCall): void {
    trying ??= new Promise((resolve) => {
      let tries = 0;
      const onFailure = (err: unknown, tried: number) => {
        tries = tried;
        args.log.error({ err, tried }, 'a person who asked for no more calls could not be suppressed');
        if (tried !== noteFailedAfter) return;
        args.note({ type: 'opt_out_failed' });
        resolve();
      };
      const goesOn = () => tries < triesAtMost && !isCut();
      const pause = args.pause ?? ((ms: number) => delay(ms, undefined, { ref: false }));
      const saving = withRetries(() => save(asked), { onFailure, goesOn, pause });
      over = saving.then(resolve, () => {
        trying = null;
      });
    });
  }

  return {
    /** The person has said this. */
    heard(words: string) {
      // The text of a turn that nobody understood is a mark.
      lastWords = /[\p{L}\p{N}]/u.test(words) ? clipped(words) : null;
    },
    /**
     * The model has understood, from what the person said last, that they want no more calls.
     * @throws if it could not be saved at once; it is tried again all the same
     */
    byModel: (reason: string): Promise<void> => {
      const asked = { reason, channel: 'call', words: lastWords, receivedAt: args.now() } as const;
      keepTrying(asked);
      return save(asked);
    },
    /** The person has asked in clear words or, with null, by the key. */
    byPerson: (words: string | null): void => {
      const how =
        words === null
          ? ({ channel: 'call_key', words } as const)
          : ({ channel: 'call_speech', words: clipped(words) } as const);
      keepTrying({ reason: 'asked on a call', ...how, receivedAt: args.now() });
    },
    /** Resolves once the request is saved, or has failed four times. */
    settled: () => trying ?? Promise.resolve(),
    /** Resolves once it is not tried any more: when it is saved, after half an hour, or soon after the process ends. */
    over(isProcessCut: () => boolean): Promise<void> {
      isCut = isProcessCut;
      return over;
    },
  };
}
