import { engineNow, type Tx } from '@outdial/db';
import type { EndingDeps } from '../deps.ts';
import { endedByUs } from './ended-by-us.ts';
import { moveCalls } from './move-calls.ts';

export type NeverPlaced =
  | 'no_line_in_time'
  | 'suppressed'
  | 'no_consent'
  | 'on_scrub_list'
  | 'number_refused'
  | 'hung_up';

/** For reports that end their calls, after which there is no look-up. */
export const noTimes = { ringTimeoutSeconds: 0, maxCallSeconds: 0 };

/** Ends calls that still wait for a line as canceled, and returns how many it ended. Calls that were placed meanwhile continue. */
export async function endQueuedCalls(
  tx: Tx,
  { metrics }: Pick<EndingDeps, 'metrics'>,
  { callIds, reason }: { callIds: readonly string[]; reason: NeverPlaced },
): Promise<number> {
  if (callIds.length === 0) return 0;
  const ended = endedByUs(await engineNow(tx), 'canceled', reason);
  const moved = await moveCalls(
    tx,
    { settings: noTimes, metrics },
    callIds.map((callId) => ({ callId, whileQueued: true, withoutAcceptance: true, facts: [ended] })),
  );
  return moved.ended;
}
