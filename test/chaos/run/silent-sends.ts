import { sql } from 'kysely';
import type { Executor } from '@outdial/db';
import { again } from '../stack/again.ts';
import type { ChaosStack } from '../stack/chaos-stack.ts';

/** Longer than any send and than the interval between two look-ups (engine/timing.ts), so that most calls that may be placed again have been. */
const silentForSeconds = 30;
/** A first send may still arrive until then (docs/decisions/dialing.md#an-unanswered-request-keeps-its-line). */
const sendExpiresMs = 6 * 60_000;

/** The engine checks due calls every second. On a busy machine it gets more time before the clocks are turned again. */
const turnedAgainMs = 60_000;

/**
 * Turns the clocks of the engine and the gateway forward if the run only waits for unanswered sends that must not be repeated, such as sends to
 * numbers that were suppressed meanwhile. These hold their lines for six minutes. If a send arrives later, its signature is too old, and a check
 * reports it.
 */
export function passerOfSilentSends(stack: ChaosStack, say: (line: string) => void): () => Promise<void> {
  let turnedAtMs = Number.NEGATIVE_INFINITY;
  return async () => {
    if (performance.now() - turnedAtMs < turnedAgainMs) return;
    if ((await again('look for silent sends', () => silentSends(stack.db))) === 0) return;
    const silent = await again('turn the clocks', () => turnClocks(stack));
    if (silent === 0) return;
    say(`only ${silent} unanswered sends were left, so the clocks were turned forward by six minutes`);
    turnedAtMs = performance.now();
  };
}

/**
 * Turns both clocks at one instant, with no call in transit to the gateway. Each gate reads the engine's clock, which is locked here, and the last
 * gates were those of the unanswered sends. Without the lock, a deferred call could be placed again between the two turns.
 */
async function turnClocks({ db, gateway }: ChaosStack): Promise<number> {
  return db.transaction().execute(async (tx) => {
    await sql`lock table engine_clock in access exclusive mode`.execute(tx);
    const silent = await silentSends(tx);
    if (silent === 0) return 0;
    gateway.turnForward(sendExpiresMs);
    await sql`update engine_clock set offset_ms = ${gateway.aheadMs}`.execute(tx);
    return silent;
  });
}

/** The number of unanswered sends; zero while the run waits for anything else. */
async function silentSends(db: Executor): Promise<number> {
  const { rows } = await sql<{ silent: number; live: number; waiting: number }>`
    with live as (
      select organization_id, phone_number,
        phase = 'placing' and accepted_at is null
          and gated_at < engine_now() - make_interval(secs => ${silentForSeconds}) as is_silent
      from calls where phase <> 'ended'
    )
    select
      (select count(*)::int from live where is_silent) as silent,
      (select count(*)::int from live where is_silent is not true) as live,
      (select count(*)::int from campaign_recipients r
        where r.state = 'pending' and not exists (
          select from live where live.organization_id = r.organization_id and live.phone_number = r.phone_number)) as waiting`.execute(
    db,
  );
  const row = rows[0];
  return row && row.live === 0 && row.waiting === 0 ? row.silent : 0;
}
