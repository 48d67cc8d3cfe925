import { setTimeout as delay } from 'node:timers/promises';
import { StartError } from '../start-error.ts';

const pollMs = 40;
const answerTimeoutMs = 3_000;

/** Waits until every `/readyz` reports success. @throws StartError after `timeoutMs`, or the signal's reason */
export async function waitUntilReady(args: {
  /** Base URLs by process name. */
  urls: Readonly<Record<string, string>>;
  timeoutMs: number;
  signal: AbortSignal;
}): Promise<void> {
  const deadline = performance.now() + args.timeoutMs;
  await Promise.all(
    Object.entries(args.urls).map(async ([name, url]) => {
      for (;;) {
        const fault = await readinessFault(url);
        if (fault === null) return;
        args.signal.throwIfAborted();
        if (performance.now() > deadline) {
          throw new StartError('not_ready', `The ${name} did not become ready: ${fault}.`);
        }
        await delay(pollMs);
      }
    }),
  );
}

async function readinessFault(url: string): Promise<string | null> {
  try {
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(answerTimeoutMs) });
    const body: unknown = await answer.json();
    return answer.ok ? null : describe(body);
  } catch {
    return 'it does not respond';
  }
}

function describe(body: unknown): string {
  if (typeof body !== 'object' || body === null || !('reasons' in body)) return 'it gives no reason';
  const reasons = Object.entries(body.reasons ?? {}).map(([what, why]) => `${what} ${String(why)}`);
  return reasons.join(', ');
}
