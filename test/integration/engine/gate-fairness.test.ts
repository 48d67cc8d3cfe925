import { inTransaction } from '@outdial/db';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Stack } from '../../support/stack/start-stack.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { campaignByHand } from './by-hand.ts';
import { dialNow, phoneNumbers } from './campaign.ts';

/** Resolves when this many statements wait for a lock. */
async function untilWaiting({ db }: Stack, count: number): Promise<void> {
  await waitFor(`${count} statements to wait for a lock`, async () => {
    const { rows } = await sql<{ waiting: number }>`
      select count(*)::int as waiting from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
    return (rows[0]?.waiting ?? 0) >= count;
  });
}

test('a dial that comes after a pause waits behind it, although another dial is open', async () => {
  const { stack, manager, campaignId } = await campaignByHand({}, { phone_numbers: phoneNumbers(2) });
  const order: string[] = [];
  const holding = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const holder = inTransaction(stack.db, async (tx) => {
    await sql`select from campaign_runtime where campaign_id = ${campaignId} for update`.execute(tx);
    holding.resolve();
    await release.promise;
  });
  await holding.promise;
  const dial = (name: string, places: number) =>
    dialNow(stack, campaignId, places).then((calls) => order.push(`${name}: ${calls.length}`));
  // The transaction holds the campaign's row, and waits for the runtime row.
  const open = dial('open', 1);
  await untilWaiting(stack, 1);
  const pause = manager.setStatus(campaignId, 'paused').then(() => order.push('paused'));
  await untilWaiting(stack, 2);
  const late = dial('late', 1);
  await untilWaiting(stack, 3);
  release.resolve();
  await Promise.all([holder, open, pause, late]);
  expect(order.toSorted()).toEqual(['late: 0', 'open: 1', 'paused']);
});

test('with slow commits, a pause waits for open dials only', async () => {
  const lanes = 4;
  const { stack, manager, campaignId } = await campaignByHand(
    { max_concurrent_calls: 400 },
    { phone_numbers: phoneNumbers(400) },
  );
  // The commit of a call takes 10 ms longer.
  await sql
    .raw(`create function slow_commit() returns trigger language plpgsql as $$
      begin perform pg_sleep(0.01); return null; end $$`)
    .execute(stack.db);
  await sql
    .raw(`create constraint trigger slow_commit after insert on calls
      deferrable initially deferred for each row execute function slow_commit()`)
    .execute(stack.db);
  let dialed = 0;
  let refused = false;
  const lane = async () => {
    while (!refused) {
      if ((await dialNow(stack, campaignId, 1)).length === 1) dialed += 1;
      else refused = true;
    }
  };
  const running = Array.from({ length: lanes }, lane);
  await waitFor('dials to be open', () => dialed > 2 * lanes);
  const before = dialed;
  await manager.setStatus(campaignId, 'paused');
  const during = dialed - before;
  await Promise.all(running);
  // The open dials, and those of lanes that began before the pause waited.
  expect(during).toBeLessThanOrEqual(3 * lanes);
});
