import type { CallScope, CallTokens } from '@outdial/runtime';

/** Lets connections in, and asks the database as little as it can: anyone may keep an old token and come back with it. */
export interface Admission {
  /** The call of a token; null if it is none, or not any more. */
  authorize(token: string): Promise<CallScope | null>;
  /** Whether this connection is the one for its call. To be followed by `leave` where it is. */
  enter(callId: string): boolean;
  /** @param wasCarried no further leg connects for the call */
  leave(callId: string, wasCarried: boolean): void;
}

/** A token that ended so long ago has ended, however far the clocks are apart by now. */
const slackMs = 600_000;
/** For so long the database's clock is taken to go on as ours does. It may be set back. */
const trustMs = 60_000;
const rememberedCalls = 1_000;

/**
 * @param now the database's clock, by which tokens are made
 * @param nowMs ours, which never goes back
 */
export function createAdmission(args: {
  tokens: Pick<CallTokens, 'verify'>;
  now: () => Promise<Date>;
  nowMs: () => number;
}): Admission {
  const { tokens, nowMs } = args;
  let known: { ms: number; atMs: number } | null = null;
  let asking: Promise<Date> | null = null;
  const inside = new Set<string>();
  const over = new Set<string>();

  /** The least that the database's clock may say; the epoch, at which no token has ended, where that is not known. */
  function earliest(): Date {
    const sinceMs = known === null ? Infinity : nowMs() - known.atMs;
    if (known === null || sinceMs > trustMs) return new Date(0);
    return new Date(known.ms + sinceMs - slackMs);
  }

  /** One question at a time, for all who ask meanwhile. */
  function ask(): Promise<Date> {
    asking ??= args
      .now()
      .then((now) => {
        known = { ms: now.getTime(), atMs: nowMs() };
        return now;
      })
      .finally(() => {
        asking = null;
      });
    return asking;
  }

  return {
    async authorize(token) {
      if ((await tokens.verify(token, earliest())) === null) return null;
      return tokens.verify(token, await ask());
    },
    enter(callId) {
      if (inside.has(callId) || over.has(callId)) return false;
      inside.add(callId);
      return true;
    },
    leave(callId, wasCarried) {
      inside.delete(callId);
      if (!wasCarried) return;
      over.add(callId);
      for (const oldest of over) {
        if (over.size <= rememberedCalls) return;
        over.delete(oldest);
      }
    },
  };
}
