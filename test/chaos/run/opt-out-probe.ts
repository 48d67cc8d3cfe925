import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { CheckResult } from '../checks/evidence.ts';
import { again } from '../stack/again.ts';
import type { ChaosStack } from '../stack/chaos-stack.ts';

/** Recipients that wait for the number must end within this time after the answer (docs/compliance.md, "Opt-out"). */
const promisedMs = 5_000;
const everyMs = 50;
const betweenMs = 700;
const firstNumber = 7_000_000;
const waitingPeople = 400;
const dayMs = 86_400_000;

interface OptOut {
  /** From the answer to the end of the waiting recipient. */
  waitedMs: number;
  /** The part of that time in which Postgres and the scheduler were up, and no frozen process held locks. */
  ableMs: number;
}

export interface OptOutProbe {
  /** Waits for the end of the faults, and cancels the probe's campaign, which would keep the run from finishing. */
  ended: Promise<CheckResult>;
}

/**
 * Recipients with a call due tomorrow opt out over the API one after the other, under the load and the faults of the run. Measures the time from each
 * answer to the end of the recipient.
 */
export async function startOptOutProbe(stack: ChaosStack, forMs: number): Promise<OptOutProbe> {
  const client = stack.organization.clients.admin;
  const phones = Array.from({ length: waitingPeople }, (_, n) => `+1555${String(firstNumber + n)}`);
  const { id } = await again('create a campaign', () =>
    client.createCampaign({
      name: 'people who wait',
      agent_id: stack.organization.agentId,
      phone_numbers: phones,
      start_date: new Date(Date.now() + dayMs).toISOString(),
      additional_params: { timezone: 'UTC' },
    }),
  );
  await again('run a campaign', () => client.setStatus(id, 'running'));
  const optOuts: OptOut[] = [];
  const until = performance.now() + forMs;

  async function probe(): Promise<CheckResult> {
    for (const phone of phones) {
      if (performance.now() > until) break;
      await again('opt out', () => suppress(stack, phone));
      optOuts.push(await untilEnded(stack, { campaignId: id, phone }));
      await sleep(betweenMs);
    }
    await again('cancel a campaign', () => client.setStatus(id, 'canceled'));
    return resultOf(optOuts);
  }

  return { ended: probe() };
}

async function suppress(stack: ChaosStack, phoneNumber: string): Promise<void> {
  const response = await fetch(`${stack.publicUrl}/api/v1/suppressions`, {
    method: 'POST',
    headers: { 'X-API-Key': stack.organization.apiKeys.admin, 'Content-Type': 'application/json' },
    body: JSON.stringify({ phone_number: phoneNumber }),
    signal: AbortSignal.timeout(10_000),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`an opt-out was answered with ${response.status}`);
}

async function untilEnded(
  stack: ChaosStack,
  { campaignId, phone }: { campaignId: string; phone: string },
): Promise<OptOut> {
  const answeredMs = performance.now();
  let ableMs = 0;
  let seenMs = answeredMs;
  for (;;) {
    const [found, isUp] = await Promise.all([hasEndedFor(stack, campaignId, phone), schedulerAnswers(stack)]);
    const nowMs = performance.now();
    if (found !== null && isUp && !found.isFrozen) ableMs += nowMs - seenMs;
    seenMs = nowMs;
    if (found?.hasEnded === true) return { waitedMs: nowMs - answeredMs, ableMs };
    if (nowMs - answeredMs > 120_000) return { waitedMs: Infinity, ableMs: Infinity };
    await sleep(everyMs);
  }
}

/** Null if Postgres does not respond. */
async function hasEndedFor(
  stack: ChaosStack,
  campaignId: string,
  phone: string,
): Promise<{ hasEnded: boolean; isFrozen: boolean } | null> {
  try {
    // A transaction that its process leaves idle for a second; Postgres ends it after eight.
    const { rows } = await sql<{ hasEnded: boolean; isFrozen: boolean }>`
      select state = 'suppressed' as "hasEnded", exists (
          select from pg_stat_activity
          where state like 'idle in transaction%' and state_change < clock_timestamp() - interval '1 second') as "isFrozen"
      from campaign_recipients where campaign_id = ${campaignId} and phone_number = ${phone}`.execute(
      stack.db,
    );
    return rows[0] ?? null;
  } catch {
    return null;
  }
}

async function schedulerAnswers(stack: ChaosStack): Promise<boolean> {
  const url = stack.metricsUrls.get('scheduler');
  if (url === undefined) return false;
  try {
    const response = await fetch(new URL('/readyz', url), { signal: AbortSignal.timeout(1_000) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

function resultOf(optOuts: readonly OptOut[]): CheckResult {
  const seconds = (ms: number) => (ms / 1_000).toFixed(1);
  const waits = optOuts.map(({ waitedMs }) => waitedMs).toSorted((one, other) => one - other);
  const able = optOuts.map(({ ableMs }) => ableMs);
  const late = optOuts.filter(({ ableMs }) => ableMs > promisedMs);
  const median = waits[Math.floor(waits.length / 2)] ?? 0;
  return {
    name: 'recipients that wait for a number end within five seconds of its opt-out, not counting outages of Postgres and the scheduler, and frozen processes',
    faults: [
      ...(optOuts.length === 0 ? ['no one opted out'] : []),
      ...late.map(
        ({ waitedMs, ableMs }) =>
          `waited ${seconds(waitedMs)} s, of which ${seconds(ableMs)} s without an outage`,
      ),
    ],
    figures: `${optOuts.length} opt-outs; half within ${seconds(median)} s, the longest ${seconds(waits.at(-1) ?? 0)} s, without outages ${seconds(Math.max(0, ...able))} s`,
  };
}
