import { chooseDue, engineNow, inTransaction } from '@outdial/db';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { anyBackend } from '../../support/queues.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { phoneNumbers, runCampaign } from './campaign.ts';

const zones = ['Europe/Berlin', 'Europe/Lisbon', 'UTC'];

test('a dial locks as many recipients as it may dial, in however many zones they are, the longest due first', async () => {
  const stack = await useStack({ backend: anyBackend(), workers: 0, schedulers: 0 });
  const organization = await stack.organization();
  const campaign = await runCampaign(stack, organization, { phone_numbers: phoneNumbers(12) });
  // The zones take turns, but the first three people are in one of them.
  await sql`
    update campaign_recipients
    set calling_key = (${zones}::text[])[case when position < 3 then 1 else 1 + position % 3 end],
      next_attempt_at = next_attempt_at + position * interval '1 millisecond' - interval '1 minute'`.execute(
    stack.db,
  );
  const key = { organizationId: organization.id, campaignId: campaign.id };
  const chosen = await inTransaction(stack.db, async (tx) => {
    const args = { ...key, zones, now: await engineNow(tx), limit: 5, withLastCallerId: false };
    const people = await chooseDue(tx, args);
    const { rows: free } = await sql<{ position: number }>`
      select position from campaign_recipients order by position for update skip locked`.execute(stack.db);
    expect(free.map(({ position }) => position)).toEqual([5, 6, 7, 8, 9, 10, 11]);
    // Another dial goes on behind them.
    const others = await inTransaction(stack.db, (other) => chooseDue(other, { ...args, limit: 100 }));
    expect(others).toHaveLength(7);
    return people;
  });
  expect(chosen.map(({ phoneNumber }) => phoneNumber)).toEqual(phoneNumbers(5));
});
