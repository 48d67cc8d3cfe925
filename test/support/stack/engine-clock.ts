import { engineNow } from '@outdial/db';
import {
  checkDueCalls,
  releaseExpiredClaims,
  retryQueuedCalls,
  wakeDueCampaigns,
  type ControlDeps,
} from '@outdial/engine';
import { sql } from 'kysely';

/** The engine's time. It runs as fast as any clock, from whatever instant a test puts it at. */
export interface EngineClock {
  now(): Promise<Date>;
  set(at: Date | string): Promise<void>;
  advance(byMs: number): Promise<void>;
}

/**
 * `wakes`: a scheduler sees a new time within a second; so that no test waits for that, its rounds are run at once.
 */
export function createEngineClock(deps: ControlDeps, { wakes }: { wakes: boolean }): EngineClock {
  async function set(at: Date | string): Promise<void> {
    await sql`update engine_clock
      set offset_ms = round(extract(epoch from ${new Date(at)}::timestamptz - clock_timestamp()) * 1000)`.execute(
      deps.db,
    );
    if (!wakes) return;
    await releaseExpiredClaims(deps);
    await checkDueCalls(deps);
    await retryQueuedCalls(deps);
    await wakeDueCampaigns(deps);
  }
  return {
    now: () => engineNow(deps.db),
    set,
    advance: async (byMs) => set(new Date((await engineNow(deps.db)).getTime() + byMs)),
  };
}
