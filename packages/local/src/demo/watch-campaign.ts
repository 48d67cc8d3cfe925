import { setTimeout as delay } from 'node:timers/promises';
import { isOver, openProgressDisplay } from '@outdial/cli';
import { type CampaignProgress, type Db, findCampaignProgress } from '@outdial/db';
import { StartError } from '../start-error.ts';

const terminalPollMs = 250;
const linesPollMs = 1_000;
/** Enough for a crashed Postgres to restart. */
const outageMs = 60_000;

/**
 * Shows a campaign's progress until it is over.
 * @param stalledAfterMs returns if nothing changes for this long; null never does, for example during a pause
 * @throws the signal's reason
 */
export async function watchCampaign(args: {
  db: Db;
  organizationId: string;
  campaignId: string;
  out: { write(text: string): unknown };
  isTerminal: boolean;
  stalledAfterMs: number | null;
  signal: AbortSignal;
}): Promise<CampaignProgress> {
  const { db, signal, stalledAfterMs } = args;
  const display = openProgressDisplay({ out: args.out, isTerminal: args.isTerminal }, {});
  let last = '';
  let changedAt = performance.now();
  let readAt = performance.now();
  const pollMs = args.isTerminal ? terminalPollMs : linesPollMs;
  // `delay` rejects with an AbortError, not with the signal's reason.
  const pause = () => delay(pollMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  try {
    for (;;) {
      const progress = await findCampaignProgress(db, args).catch((error: unknown) => {
        if (performance.now() - readAt > outageMs) throw error;
        return undefined;
      });
      if (progress === undefined) {
        await pause();
        continue;
      }
      readAt = performance.now();
      if (progress === null) throw new StartError('campaign_gone', 'The demo’s campaign was deleted.');
      display.show(progress);
      if (isOver(progress)) return progress;
      const state = JSON.stringify({ ...progress, asOf: null });
      if (state !== last) changedAt = performance.now();
      last = state;
      if (stalledAfterMs !== null && performance.now() - changedAt > stalledAfterMs) return progress;
      await pause();
    }
  } finally {
    display.close();
  }
}
