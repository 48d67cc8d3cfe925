import type { CampaignStatus } from '@outdial/core';
import type { Db } from '@outdial/db';
import { sql } from 'kysely';
import type { EngineClock } from './engine-clock.ts';
import { waitFor } from './wait-for.ts';

/** A campaign without work in progress, except ringing or answered calls. */
export interface RestingCampaign {
  status: CampaignStatus;
  /** The next wake-up or look-up of a call. Null if nothing will happen without a request. */
  nextAt: Date | null;
  nextDialAt: Date | null;
  waitingFor: string | null;
}

/** The time that the sweep of overdue calls leaves to workers for their own look-ups, with a margin. */
const checkGraceMs = 600;
/**
 * A sweep postpones the work that it takes by this much, until its job has done it. So work that is planned for that instant may be in progress, and
 * setting the clock to it would postpone it again.
 */
const republishMs = 5_000;
const inHand = (at: string) =>
  sql`coalesce(${sql.ref(at)} > engine_now() + ${republishMs - 1_000} * interval '1 millisecond'
               and ${sql.ref(at)} <= engine_now() + ${republishMs} * interval '1 millisecond', false)`;

/** Waits until a campaign has no due work left: all due calls are placed, and each one is ringing, answered or over. */
export async function untilAtRest(db: Db, campaignId: string): Promise<RestingCampaign> {
  return waitFor(`campaign ${campaignId} at rest`, async () => {
    const { rows } = await sql<{
      status: CampaignStatus;
      next_at: Date | null;
      next_dial_at: Date | null;
      waiting_for: string | null;
      resting: boolean;
    }>`
      with live as materialized (
        select phase, check_at + ${checkGraceMs} * interval '1 millisecond' as check_at, ${inHand('check_at')} as in_hand from calls
        where campaign_id = ${campaignId} and line_held)
      select c.status, rt.next_dial_at, rt.waiting_for, least(rt.wake_at, (select min(check_at) from live)) as next_at,
        rt.lines_in_use = (select count(*) from live)
        and not exists (select from live where phase = 'placing' or check_at <= engine_now() or in_hand)
        and not ${inHand('rt.wake_at')}
        -- While an advance is running or queued, the plan still has a past instant.
        and not (c.status = 'running' and coalesce(rt.next_dial_at <= engine_now(), false)
                 and coalesce(rt.waiting_for in ('window', 'retry'), true))
        and case when c.status <> 'running' then true
                 else coalesce(rt.wake_at > engine_now(), rt.lines_in_use > 0) end as resting
      from campaigns c join campaign_runtime rt on rt.campaign_id = c.id where c.id = ${campaignId}`.execute(
      db,
    );
    const row = rows[0];
    if (!row?.resting) return null;
    return {
      status: row.status,
      nextAt: row.next_at,
      nextDialAt: row.next_dial_at,
      waitingFor: row.waiting_for,
    };
  });
}

/** More steps than days of dialing take, so that a campaign that never ends fails the test. */
const stepsAtMost = 60;

/** Sets the clock to the campaign's next event repeatedly, until there is none. Returns the instants. */
export async function runToEnd(db: Db, clock: EngineClock, campaignId: string): Promise<Date[]> {
  const instants: Date[] = [];
  for (let step = 0; step < stepsAtMost; step++) {
    const { nextAt } = await untilAtRest(db, campaignId);
    if (nextAt === null) return instants;
    instants.push(nextAt);
    await clock.set(nextAt);
  }
  throw new Error(`the campaign still has work after ${stepsAtMost} steps`);
}

/** The number of recipients in each state. */
export async function recipientStates(db: Db, campaignId: string): Promise<Record<string, number>> {
  const rows = await db
    .selectFrom('campaign_recipients')
    .select(['state', (e) => e.fn.countAll<string>().as('count')])
    .where('campaign_id', '=', campaignId)
    .groupBy('state')
    .execute();
  return Object.fromEntries(rows.map((row) => [row.state, Number(row.count)]));
}

/** The sum of all line counters: of campaigns, and of organizations and providers with a cap. */
export async function linesInUse(db: Db): Promise<number> {
  const { rows } = await sql<{ lines: number }>`
    select ((select coalesce(sum(lines_in_use), 0) from campaign_runtime)
          + (select coalesce(sum(lines_in_use), 0) from organizations)
          + (select coalesce(sum(lines_in_use), 0) from providers))::int as lines`.execute(db);
  return rows[0]?.lines ?? 0;
}
