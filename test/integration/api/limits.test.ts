import { callingKeyOf } from '@outdial/core';
import { inTransaction, rekeyBatch, updateOrganization } from '@outdial/db';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { peopleOfPlaces } from '../../support/people-of-places.ts';
import { apiWorld, type TestOrganization } from './api-world.ts';
import { idOf } from './contract-client.ts';

const { client, db, organization } = await apiWorld();

const refused = {
  premium: '+19002345678',
  shared_cost: '+491803123456',
  satellite: '+881612345678',
  impossible: '+123456789',
};
const british = '+442079460000';

function set(acme: TestOrganization, change: Parameters<typeof updateOrganization>[2]) {
  return updateOrganization(db, acme.id, change, new Date());
}

async function requests(acme: TestOrganization) {
  const agentId = await acme.agent();
  const call = (to_phone: string) =>
    client.send(`POST /api/v1/agents/${agentId}/call`, { key: acme.keys.member, json: { to_phone } });
  const campaign = (phone_numbers: string[]) =>
    client.send('POST /api/v1/campaigns', {
      key: acme.keys.manager,
      json: { name: 'Spring', agent_id: agentId, phone_numbers, status: 'paused' },
    });
  return { agentId, call, campaign };
}

describe('numbers that cost the caller, and impossible ones', () => {
  test.each(Object.entries(refused))('a call to a %s number is 422', async (_kind, number) => {
    const { call } = await requests(await organization());
    const answer = await call(number);
    expect([answer.status, answer.json]).toMatchObject([
      422,
      { detail: [{ loc: ['body', 'to_phone'], type: 'value_error' }] },
    ]);
  });

  test('a campaign names each of them, new or updated', async () => {
    const acme = await organization();
    const { campaign } = await requests(acme);
    const list = ['+15551230000', refused.premium, british, refused.satellite];
    const faults = [1, 3].map((place) => ({ loc: ['body', 'phone_numbers', place], type: 'value_error' }));
    const created = await campaign(list);
    expect([created.status, created.json]).toMatchObject([422, { detail: faults }]);
    const good = await campaign(['+15551230000']);
    const updated = await client.send(`PUT /api/v1/campaigns/${idOf(good.json)}`, {
      key: acme.keys.manager,
      json: { phone_numbers: list },
    });
    expect([updated.status, updated.json]).toMatchObject([422, { detail: faults }]);
  });

  test('are called if the operator allows them', async () => {
    const acme = await organization();
    await set(acme, { allowed_special_numbers: ['premium'] });
    const { call } = await requests(acme);
    expect((await call(refused.premium)).status).toBe(200);
    expect((await call(refused.satellite)).status).toBe(422);
  });
});

test('only allowed countries are called; fictional numbers are always allowed', async () => {
  const acme = await organization();
  const { call, campaign } = await requests(acme);
  expect((await call(british)).status).toBe(200);
  await set(acme, { allowed_countries: ['US', 'CA'] });
  expect((await call(british)).json).toMatchObject({
    detail: [{ msg: 'The organization may not call this country' }],
  });
  expect((await campaign([british])).status).toBe(422);
  expect((await call('+14165671234')).status).toBe(200);
  expect((await call('+15551239999')).status).toBe(200);
  const read = await client.send('GET /api/v1/organization', { key: acme.keys.viewer });
  expect(read.json).toMatchObject({ data: { allowed_countries: ['US', 'CA'] } });
});

describe('quotas', () => {
  test('campaigns and recipients', async () => {
    const acme = await organization();
    await set(acme, { max_campaigns: 2, max_recipients: 5 });
    const { campaign } = await requests(acme);
    const numbers = (count: number) => Array.from({ length: count }, (_, at) => `+1555123000${at}`);
    expect((await campaign(numbers(3))).status).toBe(200);
    const tooLong = await campaign(numbers(3));
    expect([tooLong.status, tooLong.json]).toMatchObject([409, { code: 'quota_exceeded' }]);
    expect((await campaign(numbers(2))).status).toBe(200);
    expect((await campaign(numbers(1))).json).toMatchObject({
      detail: 'The organization can have 2 campaigns and has 2',
    });
  });

  test('deleted campaigns and their recipients leave both', async () => {
    const acme = await organization();
    await set(acme, { max_campaigns: 1, max_recipients: 2 });
    const { campaign } = await requests(acme);
    const numbers = ['+15551230000', '+15551230001'];
    const id = idOf((await campaign(numbers)).json);
    expect((await campaign(numbers)).json).toMatchObject({ code: 'quota_exceeded' });
    const key = acme.keys.manager;
    await client.send(`PUT /api/v1/campaigns/${id}/status`, { key, json: { status: 'canceled' } });
    await client.send(`DELETE /api/v1/campaigns/${id}`, { key });
    expect((await campaign(numbers)).status).toBe(200);
  });

  test('an update adds recipients within them, and may always shorten a list', async () => {
    const acme = await organization();
    await set(acme, { max_recipients: 5 });
    const { campaign } = await requests(acme);
    const numbers = (count: number) => Array.from({ length: count }, (_, at) => `+1555123000${at}`);
    const id = idOf((await campaign(numbers(3))).json);
    const path = `/api/v1/campaigns/${id}`;
    const update = (phone_numbers: string[]) =>
      client.send(`PUT ${path}`, { key: acme.keys.manager, json: { phone_numbers } });
    const add = (phone_number: string) =>
      client.send(`POST ${path}/recipients`, { key: acme.keys.manager, json: [{ phone_number }] });

    expect(await update(numbers(6))).toMatchObject({
      status: 409,
      json: {
        code: 'quota_exceeded',
        detail: 'The organization can have 5 recipients in its campaigns and would have 6',
      },
    });
    const read = await client.send(`GET ${path}`, { key: acme.keys.viewer });
    expect(read.json).toMatchObject({ data: { phone_numbers: numbers(3) } });
    expect((await update(numbers(5))).status).toBe(200);
    expect((await add('+15551230009')).json).toMatchObject({ code: 'quota_exceeded' });
    // It is there already.
    expect((await add('+15551230004')).status).toBe(200);
    await set(acme, { max_recipients: 4, max_campaigns: 1 });
    expect((await update(numbers(2))).status).toBe(200);
    expect((await update(['+15551230009'])).json).toMatchObject({ code: 'quota_exceeded' });

    // More campaigns than are allowed today do not matter to the lists of those that exist.
    await set(acme, { max_recipients: null, max_campaigns: 0 });
    expect((await update(numbers(6))).status).toBe(200);
    const others = 1_000_000 - 6;
    await sql`insert into campaign_count_changes (campaign_id, withdrawn) values (${id}, ${others})`.execute(
      db,
    );
    const full = { status: 409, json: { code: 'campaign_full' } };
    expect(await update(numbers(7))).toMatchObject(full);
    expect(await add('+15551230009')).toMatchObject(full);
    expect((await update(numbers(1))).status).toBe(200);
  });

  const everywhere = (agent_id: string, people: ReturnType<typeof peopleOfPlaces>) => ({
    name: 'Everywhere',
    agent_id,
    phone_numbers: people.map((one) => one.phone_number),
    additional_params: {
      recipients: Object.fromEntries(people.map(({ phone_number, region }) => [phone_number, { region }])),
    },
  });

  test('places of a campaign, all of which each dial looks at', async () => {
    const acme = await organization();
    const strict = { key: acme.keys.admin, json: { calling_policy: 'strict' } };
    expect((await client.send('PUT /api/v1/organization', strict)).status).toBe(200);
    const agent_id = await acme.agent();
    const json = (people: ReturnType<typeof peopleOfPlaces>) => everywhere(agent_id, people);
    const send = (label: string, body: object) => client.send(label, { key: acme.keys.manager, json: body });
    const tooMany = { status: 409, json: { code: 'quota_exceeded' } };
    expect(await send('POST /api/v1/campaigns', json(peopleOfPlaces(6_000)))).toMatchObject(tooMany);
    const made = await send('POST /api/v1/campaigns', { ...json(peopleOfPlaces(4_000)), status: 'paused' });
    expect(made.status).toBe(200);
    const campaign = `/api/v1/campaigns/${idOf(made.json)}`;
    expect(await send(`PUT ${campaign}`, json(peopleOfPlaces(6_000)))).toMatchObject(tooMany);
    const others = { recipients: peopleOfPlaces(1_500, 4_500) };
    expect(await send(`POST ${campaign}/recipients`, others)).toMatchObject(tooMany);
    expect(
      (await send(`POST ${campaign}/recipients`, { recipients: peopleOfPlaces(10, 4_500) })).status,
    ).toBe(200);
  });

  test('places of a campaign that a change of policy makes: people beyond them are not called', async () => {
    const acme = await organization();
    const people = peopleOfPlaces(6_000);
    const json = { ...everywhere(await acme.agent(), people), status: 'paused' };
    const campaignId = await client.create('POST /api/v1/campaigns', { key: acme.keys.manager, json });
    const key = { organizationId: acme.id, campaignId };
    const change = { key: acme.keys.admin, json: { calling_policy: 'strict' } };
    expect((await client.send('PUT /api/v1/organization', change)).status).toBe(200);
    let after: string | null = null;
    do {
      const from: string | null = after;
      after = await inTransaction(db, (tx) =>
        rekeyBatch(tx, key, { after: from, limit: 1_000, now: new Date() }),
      );
    } while (after !== null);
    const { calling_keys: keys } = await db
      .selectFrom('campaigns')
      .select('calling_keys')
      .where('id', '=', campaignId)
      .executeTakeFirstOrThrow();
    expect(keys).toHaveLength(3_001);
    const rows = await db
      .selectFrom('campaign_recipients')
      .select(['phone_number', 'calling_key', 'place'])
      .where('organization_id', '=', acme.id)
      .where('campaign_id', '=', campaignId)
      .execute();
    const regions = new Map(people.map((one) => [one.phone_number, one.region]));
    const own = ({ phone_number: phoneNumber }: (typeof rows)[number]) =>
      callingKeyOf('strict', { phoneNumber, region: regions.get(phoneNumber) }, 'UTC');
    const wrong = rows.filter((row) => row.calling_key !== own(row));
    expect(new Set(wrong.map((row) => row.calling_key))).toEqual(new Set(['strict:nowhere']));
    expect(wrong.length).toBeGreaterThan(1_000);
    // No place is lost: a later change can compute them again.
    expect(rows.filter((row) => row.place?.region !== regions.get(row.phone_number))).toEqual([]);
  });

  test('calls and cost of a day', async () => {
    const acme = await organization();
    await set(acme, { max_calls_per_day: 2 });
    const { call } = await requests(acme);
    expect((await call('+15551230001')).status).toBe(200);
    expect((await call('+15551230002')).status).toBe(200);
    expect((await call('+15551230003')).json).toMatchObject({ code: 'quota_exceeded' });
    await set(acme, { max_calls_per_day: null, max_spend_per_day: 1 });
    expect((await call('+15551230004')).status).toBe(200);
    await db.updateTable('calls').set({ cost: 1 }).where('organization_id', '=', acme.id).execute();
    expect((await call('+15551230005')).json).toMatchObject({ code: 'quota_exceeded' });
  });
});
