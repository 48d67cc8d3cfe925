import { addNumberQueries, inTransaction, type NewNumberQuery } from '@outdial/db';
import { expect, test } from 'vitest';
import { useFileStack } from '../../support/stack/use-stack.ts';
import { byHand, noProcesses } from '../engine/by-hand.ts';
import { phoneNumbers } from '../engine/campaign.ts';

const stack = await useFileStack(noProcesses);
const dayMs = 24 * 3_600_000;
const [recent = '', old = '', givenUp = '', unknown = '', never = '', again = ''] = phoneNumbers(6);

test('a campaign that needs queries dials only numbers whose newest query is recent and says no, and the others once it does', async () => {
  const hand = await byHand(
    stack,
    await stack.organization(),
    { reassigned_query_days: 30 },
    { phone_numbers: [recent, old, givenUp, unknown, never, again] },
  );
  const { manager, campaignId } = hand;
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

test('an organization that needs queries asks for them in every campaign and of every direct call', async () => {
  const organization = await stack.organization();
  const hand = await byHand(stack, organization, {}, { phone_numbers: [recent, never] });
  const { manager, campaignId } = hand;
  const { id: organizationId, agentId } = organization;
  const { member } = organization.clients;
  const needs = async (days: number | null) => {
    const response = await fetch(`${stack.baseUrl}/api/v1/organization`, {
      method: 'PUT',
      headers: { 'X-API-Key': organization.apiKeys.admin, 'Content-Type': 'application/json' },
      body: JSON.stringify({ reassigned_query_days: days }),
    });
    expect(await response.json()).toMatchObject({ data: { reassigned_query_days: days } });
  };
  await needs(30);
  const query = (phoneNumber: string, queriedAt: Date): NewNumberQuery => ({
    phoneNumber,
    answer: 'no',
    queriedAt,
    since: null,
    source: 'a registry',
  });
  const now = await stack.clock.now();
  await inTransaction(stack.db, (tx) =>
    addNumberQueries(tx, { organizationId, createdBy: null, queries: [query(recent, now)] }),
  );
  expect((await hand.dialAll()).map((call) => call.phone_number)).toEqual([recent]);
  const { id } = await hand.recipient(never);
  expect(await manager.explainRecipient(campaignId, id)).toMatchObject({ refused_by: 'number_unchecked' });
  await expect(member.makeCall(agentId, { to_phone: unknown })).rejects.toMatchObject({
    status: 409,
    code: 'number_unchecked',
    message: expect.stringContaining('POST /api/v1/number-queries/import') as unknown,
  });
  await inTransaction(stack.db, (tx) =>
    addNumberQueries(tx, { organizationId, createdBy: null, queries: [query(unknown, now)] }),
  );
  await member.makeCall(agentId, { to_phone: unknown });
  await needs(null);
  await member.makeCall(agentId, { to_phone: old });
});
