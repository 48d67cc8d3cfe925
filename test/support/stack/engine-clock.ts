import { engineNow, type Db } from '@outdial/db';
import { checkDueCalls, retryQueuedCalls, wakeDueCampaigns, type EndingDeps } from '@outdial/engine';
import { sql } from 'kysely';

/** The engine's clock. It runs at normal speed from the instant that a test sets, unless the test stops it. */
export interface EngineClock {
  now(): Promise<Date>;
  set(at: Date | string): Promise<void>;
  advance(byMs: number): Promise<void>;
  /** Stops the clock, for a test whose last step before a limit leaves no time to pass. */
  stop(): Promise<void>;
}

/** `wakes` runs the rounds of schedulers at once, because they would otherwise notice the new time only within a second. */
export function createEngineClock(deps: EndingDeps, { wakes }: { wakes: boolean }): EngineClock {
  let isStopped = false;

  async function set(at: Date | string): Promise<void> {
    const origin = isStopped ? sql`timestamptz 'epoch'` : sql`clock_timestamp()`;
    await sql`update engine_clock
      set offset_ms = round(extract(epoch from ${new Date(at)}::timestamptz - ${origin}) * 1000)`.execute(
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
    async stop() {
      await stopEngineClock(deps.db);
      isStopped = true;
    },
  };
}

/** Stops the engine's clock in a test's own database: it moves only by changes of its offset. */
export async function stopEngineClock(db: Db): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await sql`update engine_clock set offset_ms = round(extract(epoch from engine_now()) * 1000)`.execute(tx);
    await sql`create or replace function engine_now() returns timestamptz language sql parallel safe as
      'select timestamptz ''epoch'' + offset_ms * interval ''1 millisecond'' from engine_clock'`.execute(tx);
  });
}
