import type { CallScope, CallTokens } from '@outdial/runtime';

/** The clocks never differ by more than this. A token that expired longer ago is refused without a query. */
const slackMs = 600_000;
/** How long a reading of the database's clock is used. It is not used longer, because that clock may be set back. */
const trustMs = 60_000;
const rememberedCalls = 1_000;

/**
 * Admits connections by their tokens. Reads the database's clock rarely, because an attacker may send an old token again and again.
 * @param now the database's clock, which dates the tokens
 * @param nowMs a monotonic clock
 */
export function createAdmission(args: {
  tokens: Pick<CallTokens, 'verify'>;
  now: () => Promise<Date>;
  nowMs: () => number;
}) {
  const { tokens, nowMs } = args;
  let lastReading: { ms: number; atMs: number } | null = null;
  let reading: Promise<Date> | null = null;
  const connected = new Set<string>();
  const handled = new Set<string>();

  /** A lower bound of the database's clock. Without a recent reading it is the epoch, at which no token has expired. */
  function earliest(): Date {
    const sinceMs = lastReading === null ? Infinity : nowMs() - lastReading.atMs;
    if (lastReading === null || sinceMs > trustMs) return new Date(0);
    return new Date(lastReading.ms + sinceMs - slackMs);
  }

  /** Concurrent callers share one query. */
  function readClock(): Promise<Date> {
    reading ??= args
      .now()
      .then((now) => {
        lastReading = { ms: now.getTime(), atMs: nowMs() };
        return now;
      })
      .finally(() => {
        reading = null;
      });
    return reading;
  }

  return {
    /** The call of a token. Null if the token is invalid or has expired. */
    async authorize(token: string): Promise<CallScope | null> {
      if ((await tokens.verify(token, earliest())) === null) return null;
      return tokens.verify(token, await readClock());
    },
    /** False if the call has, or had, another connection. If true, call `leave` afterwards. */
    enter(callId: string): boolean {
      if (connected.has(callId) || handled.has(callId)) return false;
      connected.add(callId);
      return true;
    },
    /** @param wasHandled if true, no further connection is admitted for the call */
    leave(callId: string, wasHandled: boolean) {
      connected.delete(callId);
      if (!wasHandled) return;
      handled.add(callId);
      for (const oldest of handled) {
        if (handled.size <= rememberedCalls) return;
        handled.delete(oldest);
      }
    },
  };
}
