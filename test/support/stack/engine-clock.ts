import { engineNow } from '@outdial/db';
import { checkDueCalls, retryQueuedCalls, wakeDueCampaigns, type EndingDeps } from '@outdial/engine';
import { sql } from 'kysely';

/** The engine's clock. It runs at normal speed from the instant that a test sets. */
export interface EngineClock {
  now(): Promise<Date>;
  set(at: Date | string): Promise<void>;
  advance(byMs: number): Promise<void>;
}

/** `wakes` runs the rounds of schedulers at once, because they would otherwise notice the new time only within a second. */
export function createEngineClock(deps: EndingDeps, { wakes }: { wakes: boolean }): EngineClock {
  async function set(at: Date | string): Promise<void> {
    await sql`update engine_clock
      set offset_ms = round(extract(epoch from ${new Date(at)}::timestamptz - clock_timestamp()) * 1000)`.execute(
      deps.db,
    );
    if (!wakes) return;
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
