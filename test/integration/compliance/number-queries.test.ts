import { numberQueryImport } from '@outdial/contracts';
import { addNumberQueries, inTransaction, updateOrganization, type NewNumberQuery } from '@outdial/db';
import { markBlockedCampaigns } from '@outdial/engine';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { TestOrganization } from '../../support/stack/organization.ts';
import { useFileStack } from '../../support/stack/use-stack.ts';
import { byHand, noProcesses } from '../engine/by-hand.ts';
import { phoneNumbers } from '../engine/campaign.ts';

const stack = await useFileStack(noProcesses);
const dayMs = 24 * 3_600_000;
const [recent = '', old = '', givenUp = '', unknown = '', never = '', again = ''] = phoneNumbers(6);

const query = (phone_number: string, answer: NewNumberQuery['answer'], queried_at: Date): NewNumberQuery => ({
  phone_number,
  answer,
  queried_at,
  since: null,
  source: 'a registry',
});

const add = (organizationId: string, ...queries: NewNumberQuery[]) =>
  inTransaction(stack.db, (tx) => addNumberQueries(tx, { organizationId, createdBy: null, queries }));

const request = async ({ apiKeys }: TestOrganization, method: string, path: string, json: object) => {
  const response = await fetch(`${stack.baseUrl}/api/v1${path}`, {
    method,
    headers: { 'X-API-Key': apiKeys.admin, 'Content-Type': 'application/json' },
    body: JSON.stringify(json),
  });
  return response.json();
};

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
  const daysAgo = (days: number) => new Date(now.getTime() - days * dayMs);
  await add(
    organizationId,
    query(recent, 'no', daysAgo(29)),
    query(old, 'no', daysAgo(31)),
    query(givenUp, 'no', daysAgo(2)),
    query(givenUp, 'yes', daysAgo(1)),
    query(unknown, 'no_data', daysAgo(1)),
    query(again, 'yes', daysAgo(2)),
    query(again, 'no', daysAgo(1)),
  );
  const dialed = async () => (await hand.dialAll()).map((call) => call.phone_number).toSorted();
  expect(await dialed()).toEqual([recent, again].toSorted());
  expect(await manager.explainRecipient(campaignId, recipientId)).toMatchObject({
    refused_by: 'number_unchecked',
    refusals: { by_condition: { number_unchecked: 1 } },
    grounds: { campaign: { reassigned_query_days: 30 } },
  });
  await add(organizationId, query(never, 'no', now));
  await stack.clock.advance(15 * 60_000);
  expect(await dialed()).toEqual([never]);
});

test('a campaign of which no number was queried waits for queries, and is reported as blocked', async () => {
  const hand = await byHand(
    stack,
    await stack.organization(),
    { reassigned_query_days: 30 },
    { phone_numbers: [recent, old] },
  );
  expect(await hand.dialAll()).toEqual([]);
  expect(await hand.manager.readDialing(hand.campaignId)).toMatchObject({ waitingFor: 'number_query' });
  expect(await hand.recipient(old)).toMatchObject({ attempts: 0, deferred_for: 'number_query' });
  await markBlockedCampaigns(stack.control);
  await stack.clock.advance(5 * 60_000);
  await markBlockedCampaigns(stack.control);
  const events = await stack.db
    .selectFrom('outbox')
    .select('data')
    .where('campaign_id', '=', hand.campaignId)
    .where('type', '=', 'campaign.blocked')
    .execute();
  expect(events).toMatchObject([{ data: { reason: 'number_query' } }]);
});

test('people who waited for a query are dialed once their campaign or organization needs none', async () => {
  const organization = await stack.organization();
  const hand = await byHand(stack, organization, { reassigned_query_days: 30 }, { phone_numbers: [recent] });
  const set = (days: number | null) =>
    inTransaction(stack.db, async (tx) =>
      updateOrganization(tx, organization.id, { reassigned_query_days: days }, await stack.clock.now()),
    );
  expect(await hand.dialAll()).toEqual([]);
  await set(7);
  await hand.manager.setConfig(hand.campaignId, { reassigned_query_days: null });
  expect(await hand.dialAll()).toEqual([]);
  expect(await hand.manager.readDialing(hand.campaignId)).toMatchObject({ waitingFor: 'number_query' });
  await set(null);
  expect(await hand.dialAll()).toHaveLength(1);
});

test('an organization that needs queries asks for them in every campaign and of every direct call', async () => {
  const organization = await stack.organization();
  const hand = await byHand(stack, organization, {}, { phone_numbers: [recent, never] });
  const { manager, campaignId } = hand;
  const { id: organizationId, agentId } = organization;
  const { member } = organization.clients;
  const needs = async (days: number | null) => {
    const answer = await request(organization, 'PUT', '/organization', { reassigned_query_days: days });
    expect(answer).toMatchObject({ data: { reassigned_query_days: days } });
  };
  await needs(30);
  const now = await stack.clock.now();
  await add(organizationId, query(recent, 'no', now));
  expect((await hand.dialAll()).map((call) => call.phone_number)).toEqual([recent]);
  const { id } = await hand.recipient(never);
  expect(await manager.explainRecipient(campaignId, id)).toMatchObject({ refused_by: 'number_unchecked' });
  await expect(member.makeCall(agentId, { to_phone: unknown })).rejects.toMatchObject({
    status: 409,
    code: 'number_unchecked',
    message: expect.stringContaining('POST /api/v1/number-queries/import') as unknown,
  });
  await add(organizationId, query(unknown, 'no', now));
  await member.makeCall(agentId, { to_phone: unknown });
  await needs(null);
  await member.makeCall(agentId, { to_phone: old });
});

test('of the answers of one instant, one that is not no counts, and none is lost', async () => {
  const organization = await stack.organization();
  const [no = '', two = '', twoAgain = '', sources = '', sourcesAgain = ''] = phoneNumbers(5);
  const hand = await byHand(
    stack,
    organization,
    { reassigned_query_days: 30 },
    { phone_numbers: [no, two, twoAgain, sources, sourcesAgain] },
  );
  const now = await stack.clock.now();
  const told = (phone: string, answer: NewNumberQuery['answer'], over: object = {}) => ({
    ...query(phone, answer, now),
    since: undefined,
    ...over,
  });
  const [recently, long] = ['2025-01-01T00:00:00Z', '2020-01-01T00:00:00Z'].map((since) => ({ since }));
  const items = [
    told(no, 'no', recently),
    told(no, 'no', long),
    told(two, 'no', recently),
    told(two, 'yes', long),
    told(twoAgain, 'no_data', long),
    told(twoAgain, 'no', recently),
    told(sources, 'no'),
    told(sources, 'no_data', { source: 'another registry' }),
    told(sourcesAgain, 'no_data'),
    told(sourcesAgain, 'no', { source: 'another registry' }),
  ];
  const send = async () => {
    const answer = await request(organization, 'POST', '/number-queries/import', { items });
    return z.object({ data: numberQueryImport }).parse(answer).data;
  };
  expect(await send()).toMatchObject({ added: 10, known: 0, refused: [] });
  expect(await send()).toMatchObject({ added: 0, known: 10 });
  expect((await hand.dialAll()).map((call) => call.phone_number)).toEqual([no]);
});
