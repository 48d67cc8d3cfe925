import { chooseDue, engineNow, inTransaction, type Tx } from '@outdial/db';
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
  const chosen = await inTransaction(stack.db, async (tx) => {
    const now = await engineNow(tx);
    const choose = async (of: Tx, limit: number) => {
      const campaigns = [{ campaignId: campaign.id, zones, limit }];
      const args = { organizationId: organization.id, campaigns, now, withLastCallerId: false };
      return (await chooseDue(of, args)).get(campaign.id) ?? [];
    };
    const people = await choose(tx, 5);
    const { rows: free } = await sql<{ position: number }>`
      select position from campaign_recipients order by position for update skip locked`.execute(stack.db);
    expect(free.map(({ position }) => position)).toEqual([5, 6, 7, 8, 9, 10, 11]);
    // Another dial goes on behind them.
    const others = await inTransaction(stack.db, (other) => choose(other, 100));
    expect(others).toHaveLength(7);
    return people;
  });
  expect(chosen.map(({ phoneNumber }) => phoneNumber)).toEqual(phoneNumbers(5));
});
