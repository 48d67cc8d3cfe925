import { randomUUID } from 'node:crypto';
import { validationErrorBody as problem } from '@outdial/contracts';
import { describe, expect, test } from 'vitest';
import { apiWorld } from '../api/api-world.ts';
import { someList, someText } from '../api/matchers.ts';
import { campaignOf, numbers } from './campaign-requests.ts';

const { client, db, organization } = await apiWorld();
const path = 'POST /api/v1/campaigns';

describe('POST /campaigns', () => {
  test('creates a draft with the defaults, and each number once', async () => {
    const acme = await organization();
    const agentId = await acme.agent();
    const answer = await client.send(path, {
      key: acme.keys.member,
      json: { name: 'Spring', agent_id: agentId, phone_numbers: [...numbers, numbers[0]] },
    });
    expect(answer.json).toEqual({
      message: 'Data created correctly',
      meta: { warnings: someList },
      data: {
        id: someText,
        created_at: someText,
        name: 'Spring',
        agent_id: agentId,
        status: 'draft',
        start_date: campaignOf(answer).created_at,
        end_date: null,
        start_time: '00:00',
        end_time: '24:00',
        phone_numbers: numbers,
        organization_id: acme.id,
        additional_params: {},
      },
    });
    const recipients = await db
      .selectFrom('campaign_recipients')
      .selectAll()
      .where('campaign_id', '=', campaignOf(answer).id)
      .orderBy('position')
      .execute();
    expect(recipients.map((row) => [row.phone_number, row.state, row.calling_key, row.attempts])).toEqual(
      numbers.map((phoneNumber) => [phoneNumber, 'pending', 'UTC', 0]),
    );
  });

  test('stores the fields as sent, and parses dates in the zone of the campaign', async () => {
    const acme = await organization();
    const additional_params = {
      timezone: 'America/New_York',
      prompt_params: { greeting: 'Hello' },
      recipients: { [numbers[1] ?? '']: { prompt_params: { name: 'Ann' }, timezone: 'Europe/Berlin' } },
      crm: [{ id: 7 }],
    };
    const answer = await client.send(path, {
      key: acme.keys.member,
      json: {
        name: 'Spring',
        agent_id: (await acme.agent()).toUpperCase(),
        status: 'paused',
        phone_numbers: numbers,
        start_date: '2030-03-02T09:00',
        end_date: '2030-03-02',
        start_time: '22:00:30',
        end_time: '06:00',
        organization_id: acme.id.toUpperCase(),
        additional_params,
      },
    });
    expect(campaignOf(answer)).toMatchObject({
      status: 'paused',
      start_date: '2030-03-02T14:00:00.000Z',
      end_date: '2030-03-03T04:59:59.999Z',
      start_time: '22:00:30',
      end_time: '06:00',
      additional_params,
    });
    const { id } = campaignOf(answer);
    const row = await db.selectFrom('campaigns').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    expect(row.calling_keys).toEqual(['America/New_York', 'Europe/Berlin']);
    expect(row.prompt_params).toEqual({ greeting: 'Hello' });
    const own = await db
      .selectFrom('campaign_recipients')
      .select(['calling_key', 'prompt_params', 'next_attempt_at'])
      .where('campaign_id', '=', id)
      .where('phone_number', '=', numbers[1] ?? '')
      .executeTakeFirstOrThrow();
    expect(own).toEqual({
      calling_key: 'Europe/Berlin',
      prompt_params: { name: 'Ann' },
      next_attempt_at: new Date('2030-03-02T14:00:00.000Z'),
    });
  });

  test('a campaign created running is started by its creator, and reports its next dial', async () => {
    const acme = await organization();
    const answer = await client.send(path, {
      key: acme.keys.manager,
      json: {
        name: 'Now',
        agent_id: await acme.agent(),
        phone_numbers: numbers,
        status: 'running',
        start_date: '2030-01-07',
      },
    });
    expect(answer.json).toMatchObject({
      meta: { next_dial_at: '2030-01-07T00:00:00.000Z' },
      data: { status: 'running' },
    });
    const row = await db
      .selectFrom('campaigns as c')
      .innerJoin('campaign_runtime as r', 'r.campaign_id', 'c.id')
      .select(['c.started_by', 'c.created_by', 'r.provider', 'r.wake_at'])
      .where('c.id', '=', campaignOf(answer).id)
      .executeTakeFirstOrThrow();
    expect(row).toEqual({
      started_by: acme.userId,
      created_by: acme.userId,
      provider: 'simulator',
      wake_at: new Date('2030-01-07T00:00:00.000Z'),
    });
  });

  test.each([
    ['nothing', {}, [['body', 'name'], 'missing']],
    ['no numbers', { phone_numbers: [] }, [['body', 'phone_numbers'], 'too_short']],
    [
      'a wrong number',
      { phone_numbers: [numbers[0], '555'] },
      [['body', 'phone_numbers', 1], 'string_pattern_mismatch'],
    ],
    ['a final status', { status: 'finished' }, [['body', 'status'], 'enum']],
    ['an invalid time', { start_time: '25:00' }, [['body', 'start_time'], 'value_error']],
    ['a start at the end of a day', { start_time: '24:00' }, [['body', 'start_time'], 'value_error']],
    ['an invalid date', { start_date: '2030-02-30' }, [['body', 'start_date'], 'datetime_parsing']],
    [
      'an end before the start',
      { start_date: '2030-01-02', end_date: '2030-01-01' },
      [['body', 'end_date'], 'value_error'],
    ],
    ['an end in the past', { end_date: '2020-01-01' }, [['body', 'end_date'], 'value_error']],
    [
      'an invalid zone',
      { additional_params: { timezone: 'Mars' } },
      [['body', 'additional_params', 'timezone'], 'value_error'],
    ],
    [
      'a recipient who is not on the list',
      { additional_params: { recipients: { '+15559999999': {} } } },
      [['body', 'additional_params', 'recipients', '+15559999999'], 'value_error'],
    ],
    ['an agent_id that is not a UUID', { agent_id: 'x' }, [['body', 'agent_id'], 'uuid_parsing']],
    ['a name without a character', { name: '' }, [['body', 'name'], 'string_too_short']],
  ])('%s is 422 and creates nothing', async (_, fields, [loc, type]) => {
    const acme = await organization();
    const good = { name: 'Spring', agent_id: await acme.agent(), phone_numbers: numbers };
    const json = Object.keys(fields).length === 0 ? {} : { ...good, ...fields };
    const answer = await client.send(path, { key: acme.keys.member, json });
    expect(answer.status).toBe(422);
    expect(problem.parse(answer.json).detail).toContainEqual({ loc, msg: someText, type });
    const made = await db
      .selectFrom('campaigns')
      .select('id')
      .where('organization_id', '=', acme.id)
      .execute();
    expect(made).toEqual([]);
  });

  test('403, 404 and 409', async () => {
    const acme = await organization();
    const other = await organization();
    const good = { name: 'Spring', agent_id: await acme.agent(), phone_numbers: numbers };
    const refused = async (key: string | undefined, fields: object) => {
      const answer = await client.send(path, { key, json: { ...good, ...fields } });
      return [answer.status, answer.json];
    };
    const coded = (status: number, code: string) => [status, { detail: someText, code }];
    expect(await refused(acme.keys.member, { status: 'running' })).toEqual(coded(403, 'forbidden_role'));
    // The role is checked before the values.
    expect(await refused(acme.keys.member, { status: 'running', name: 5 })).toEqual(
      coded(403, 'forbidden_role'),
    );
    expect(await refused(acme.keys.member, { agent_id: randomUUID() })).toEqual(coded(404, 'not_found'));
    expect(await refused(acme.keys.member, { agent_id: await other.agent() })).toEqual(
      coded(404, 'not_found'),
    );
    expect(await refused(acme.keys.member, { organization_id: other.id })).toEqual(
      coded(403, 'forbidden_organization'),
    );
    const silent = await acme.agent({ prompt: null });
    expect(await refused(acme.keys.admin, { agent_id: silent, status: 'running' })).toEqual(
      coded(409, 'agent_without_prompt'),
    );
    const past = { start_date: '2020-01-01', end_date: '2020-01-02', status: 'running' };
    expect(await refused(acme.keys.admin, past)).toEqual(coded(409, 'campaign_over'));
  });

  test('the same Idempotency-Key gives the same answer, and makes one campaign', async () => {
    const acme = await organization();
    const json = {
      name: 'Once',
      agent_id: await acme.agent(),
      phone_numbers: [...numbers, numbers[1]],
      additional_params: { crm: 7 },
    };
    const headers = { 'Idempotency-Key': randomUUID() };
    const send = (fields: object) =>
      client.send(path, { key: acme.keys.member, headers, json: { ...json, ...fields } });
    const first = await send({});
    expect(campaignOf(first).phone_numbers).toEqual(numbers);
    const second = await send({});
    expect(second.json).toEqual(first.json);
    expect((await send({ name: 'Twice' })).json).toMatchObject({ code: 'idempotency_key_reused' });
    const made = await db
      .selectFrom('campaigns')
      .select('id')
      .where('organization_id', '=', acme.id)
      .execute();
    expect(made).toHaveLength(1);
    const kept = await db
      .selectFrom('idempotency_keys')
      .select('response')
      .where('organization_id', '=', acme.id)
      .executeTakeFirstOrThrow();
    expect(JSON.stringify(kept.response)).not.toContain(numbers[0]);
  });
});
