import { addNumberQueries, inTransaction, type NewNumberQuery } from '@outdial/db';
import { expect, test } from 'vitest';
import { campaignByHand } from '../engine/by-hand.ts';
import { phoneNumbers } from '../engine/campaign.ts';

const dayMs = 24 * 3_600_000;
const [recent = '', old = '', givenUp = '', unknown = '', never = '', again = ''] = phoneNumbers(6);

test('a campaign that needs queries dials only numbers whose newest query is recent and says no, and the others once it does', async () => {
  const hand = await campaignByHand(
    { reassigned_query_days: 30 },
    { phone_numbers: [recent, old, givenUp, unknown, never, again] },
  );
  const { stack, manager, campaignId } = hand;
  const { organization_id: organizationId, id: recipientId } = await hand.recipient(never);
  const now = await stack.clock.now();
  const query = (phoneNumber: string, answer: NewNumberQuery['answer'], daysAgo: number): NewNumberQuery => ({
    phoneNumber,
    answer,
    queriedAt: new Date(now.getTime() - daysAgo * dayMs),
    since: null,
    source: 'a registry',
  });
  const add = (...queries: NewNumberQuery[]) =>
    inTransaction(stack.db, (tx) => addNumberQueries(tx, { organizationId, createdBy: null, queries }));
  await add(
    query(recent, 'no', 29),
    query(old, 'no', 31),
    query(givenUp, 'no', 2),
    query(givenUp, 'yes', 1),
    query(unknown, 'no_data', 1),
    query(again, 'yes', 2),
    query(again, 'no', 1),
  );
  const dialed = async () => (await hand.dialAll()).map((call) => call.phone_number).toSorted();
  expect(await dialed()).toEqual([recent, again].toSorted());
  expect(await manager.explainRecipient(campaignId, recipientId)).toMatchObject({
    refused_by: 'number_unchecked',
    refusals: { by_condition: { number_unchecked: 1 } },
    grounds: { campaign: { reassigned_query_days: 30 } },
  });
  await add(query(never, 'no', 0));
  await stack.clock.advance(15 * 60_000);
  expect(await dialed()).toEqual([never]);
});
