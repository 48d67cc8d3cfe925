import { addSuppressions, connect } from '@outdial/db';
import { sql } from 'kysely';
import { describe, expect, inject, test } from 'vitest';
import type { Dial } from '../../support/stack/dials.ts';
import type { Stack } from '../../support/stack/start-stack.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { dialNow, phoneNumbers, runCampaign } from './campaign.ts';

/** Two workers dial at full speed while a request forbids some of their dials. */
const atFullSpeed = () => useStack({ backend: 'postgres', workers: 2 });

function mostInASecond(dials: readonly Dial[]): number {
  const instants = dials.map((dial) => Number(dial.gatedAt)).toSorted((one, other) => one - other);
  return Math.max(
    ...instants.map((from) => instants.filter((at) => at >= from && at < from + 1000).length),
    0,
  );
}

/** Numbers that are dialed next. */
async function nextNumbers({ db }: Stack): Promise<string[]> {
  const rows = await db
    .selectFrom('campaign_recipients')
    .select('phone_number')
    .where('state', '=', 'pending')
    .orderBy('position')
    .limit(3)
    .execute();
  return rows.map((row) => row.phone_number);
}

describe('once it has been answered, no gate opens that is forbidden by', { timeout: 120_000 }, () => {
  test('a suppression', async () => {
    const stack = await atFullSpeed();
    const organization = await stack.organization();
    const campaign = await runCampaign(
      stack,
      organization,
      { phone_numbers: phoneNumbers(300) },
      { max_concurrent_calls: 30 },
    );
    const answered = new Map<string, Date>();
    await campaign.dialed(1);
    for (let looks = 0; answered.size < 60 && looks < 300; looks++) {
      for (const phoneNumber of await nextNumbers(stack)) {
        await addSuppressions(stack.db, {
          organizationId: organization.id,
          suppressions: [{ phoneNumber, reason: null }],
        });
        answered.set(phoneNumber, await stack.clock.now());
      }
    }
    await campaign.finished();
    const late = (await campaign.dials()).filter((dial) => {
      const at = answered.get(dial.phone);
      return at !== undefined && dial.gatedAt > at;
    });
    expect(late).toEqual([]);
    expect(answered.size).toBeGreaterThan(0);
  });

  test('a config that takes call-backs away', async () => {
    const stack = await atFullSpeed();
    const organization = await stack.organization();
    const campaign = await runCampaign(
      stack,
      organization,
      { phone_numbers: phoneNumbers(150, '91') },
      { max_concurrent_calls: 40, call_back_attempts: 10, retry_delay_seconds: 0 },
    );
    await campaign.dialed(250);
    await organization.clients.manager.setConfig(campaign.id, { call_back_attempts: 0 });
    const answeredAt = await stack.clock.now();
    await campaign.finished();
    const dials = await campaign.dials();
    expect(dials.filter((dial) => dial.attempt > 1 && dial.gatedAt > answeredAt)).toEqual([]);
    // Each recipient was called once, perhaps only after the change.
    expect(new Set(dials.map((dial) => dial.phone)).size).toBe(150);
  });

  test.each(['its campaign', 'its provider'])(
    'calls per second of %s',
    { timeout: 120_000 },
    async (whose) => {
      const stack = await atFullSpeed();
      const organization = await stack.organization();
      const campaign = await runCampaign(
        stack,
        organization,
        // So many that some are left when the pace is set, however busy the machine is.
        { phone_numbers: phoneNumbers(3_000) },
        { max_concurrent_calls: 150 },
      );
      await campaign.dialed(1);
      if (whose === 'its campaign') {
        await organization.clients.manager.setConfig(campaign.id, { calls_per_second: 10 });
      } else await stack.setProvider('simulator', { callsPerSecond: 10 });
      const answeredAt = await stack.clock.now();
      const already = (await campaign.dials()).length;
      expect(already).toBeLessThan(2_900);
      const dialed = async () => (await campaign.dials()).length >= already + 15;
      await waitFor('fifteen more dials', dialed, { withinMs: 90_000 });
      await organization.clients.manager.setStatus(campaign.id, 'canceled');
      const after = (await campaign.dials()).filter((dial) => dial.gatedAt > answeredAt);
      expect(mostInASecond(after)).toBeLessThanOrEqual(10);
    },
  );
});

test('campaigns that call the same numbers at once never deadlock', async () => {
  const stack = await useStack({ backend: 'postgres', workers: 0, schedulers: 0 });
  const organization = await stack.organization();
  const numbers = phoneNumbers(40);
  const db = connect({ databaseUrl: await urlOf(stack), poolMax: 4 });
  const ids: string[] = [];
  for (const list of [numbers, numbers.toReversed()]) {
    const fields = { phone_numbers: list };
    ids.push((await runCampaign(stack, organization, fields, { max_concurrent_calls: 40 })).id);
  }
  // Each row takes a moment, so that both transactions are in progress at the same time.
  await sql
    .raw(`create function slow_row() returns trigger language plpgsql as $$
      begin perform pg_sleep(0.005); return new; end $$`)
    .execute(stack.db);
  await sql
    .raw(`create trigger slow_row before insert on calls for each row execute function slow_row()`)
    .execute(stack.db);
  const dialed = await Promise.all(ids.map((id) => dialNow({ ...stack, db }, id)));
  await db.destroy();
  expect(
    dialed
      .flat()
      .map((call) => call.pass.toPhone)
      .toSorted(),
  ).toEqual(numbers.toSorted());
  expect(await deadlocks(stack)).toBe(0);
});

async function urlOf({ db }: Stack): Promise<string> {
  const { rows } = await sql<{ database: string }>`select current_database() as database`.execute(db);
  const url = new URL(inject('services').postgres.adminUrl);
  url.pathname = `/${rows[0]?.database}`;
  return url.href;
}

/** Postgres counts deadlocks when a session ends. */
async function deadlocks({ db }: Stack): Promise<number> {
  return waitFor('the sessions of the gates to have ended', async () => {
    const { rows } = await sql<{ sessions: number; deadlocks: number }>`
      select (select count(*)::int from pg_stat_activity
              where datname = current_database() and application_name = 'outdial') as sessions,
        deadlocks::int from pg_stat_database where datname = current_database()`.execute(db);
    const [row] = rows;
    return row?.sessions === 0 && { deadlocks: row.deadlocks };
  }).then((seen) => seen.deadlocks);
}
