import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { again } from '../stack/again.ts';
import type { ChaosStack } from '../stack/chaos-stack.ts';

/** Longer than any send lasts, and than two look-ups are apart (engine/timing.ts): what may be placed again has been. */
const silentForSeconds = 30;
/** Until then a first send may still arrive (docs/decisions/0010-late-sends.md). */
const sendExpiresMs = 6 * 60_000;
/** Signatures carry whole seconds: those of the second in which the gateway's clock is turned are of no use. */
const signatureGrainMs = 1_000;

/** The engine looks at its due calls every second; on a busy machine it gets more time before the clocks are turned again. */
const turnedAgainMs = 60_000;

/**
 * Turns the clocks of the engine and of the gateway forward if the run waits for nothing but sends without an answer that may not be
 * repeated, such as those to people who were suppressed meanwhile. They hold their lines for six minutes. The gateway's clock is turned
 * first, so a send that was still on its way would be refused as too old, as it would be after six minutes, and a check reports it.
 */
export function passerOfSilentSends(stack: ChaosStack, say: (line: string) => void): () => Promise<void> {
  let turnedAtMs = Number.NEGATIVE_INFINITY;
  return async () => {
    if (performance.now() - turnedAtMs < turnedAgainMs) return;
    const silent = await again('look for silent sends', () => silentSends(stack));
    if (silent === 0) return;
    say(
      `${silent} sends without an answer are all that is left: the clocks are turned forward by six minutes`,
    );
    stack.gateway.turnForward(sendExpiresMs);
    await sleep(signatureGrainMs);
    await again('turn the clock of the engine', () =>
      sql`update engine_clock set offset_ms = ${stack.gateway.aheadMs}`.execute(stack.db),
    );
    turnedAtMs = performance.now();
  };
}

/** How many there are, or zero as long as there is anything else to wait for. */
async function silentSends({ db }: ChaosStack): Promise<number> {
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
        where r.state in ('pending', 'claimed') and not exists (
          select from live where live.organization_id = r.organization_id and live.phone_number = r.phone_number)) as waiting`.execute(
    db,
  );
  const row = rows[0];
  return row && row.live === 0 && row.waiting === 0 ? row.silent : 0;
}
