import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { apiWorld } from '../api/api-world.ts';
import { someDate, someText } from '../api/matchers.ts';
import { bring, campaignOf, createPaused, numbers } from './campaign-requests.ts';

const { client, db, organization } = await apiWorld();
const [first = '', second = '', third = ''] = numbers;
const fourth = '+15551230003';

async function world(fields: object = {}) {
  const acme = await organization();
  const campaign = await createPaused(client, acme, { start_date: '2030-01-07', ...fields });
  const update = (json: object, key: string | undefined = acme.keys.manager) =>
    client.send(`PUT /api/v1/campaigns/${campaign.id}`, { key, json });
  const recipients = async () => {
    const rows = await db
      .selectFrom('campaign_recipients')
      .selectAll()
      .where('campaign_id', '=', campaign.id)
      .orderBy('position')
      .execute();
    return new Map(rows.map((row) => [row.phone_number, row]));
  };
  const stored = () =>
    db.selectFrom('campaigns').selectAll().where('id', '=', campaign.id).executeTakeFirstOrThrow();
  /** Writes a recipient's state as the engine would. */
  const leave = (phoneNumber: string, state: Record<string, unknown>) =>
    bring(db, campaign.id, phoneNumber, state);
  return { acme, campaign, update, recipients, stored, leave };
}

describe('PUT /campaigns/{campaign_id}', () => {
  test('a time zone alone warns that the instants stay that were stored', async () => {
    const { update } = await world({ end_date: '2030-02-01', additional_params: { timezone: 'UTC' } });
    const warned = await update({ additional_params: { timezone: 'Europe/Berlin' } });
    expect(warned.json).toMatchObject({
      data: { start_date: '2030-01-07T00:00:00.000Z', end_date: '2030-02-01T23:59:59.999Z' },
      meta: {
        warnings: expect.arrayContaining([
          {
            code: 'stored_instants_stay',
            loc: ['body', 'additional_params', 'timezone'],
            msg: expect.stringContaining('start_date and end_date') as unknown,
          },
        ]) as unknown,
      },
    });
    const whole = await update({
      additional_params: { timezone: 'America/New_York' },
      start_date: '2030-01-07',
      end_date: '2030-02-01',
    });
    expect(whole.json).toMatchObject({ data: { start_date: '2030-01-07T05:00:00.000Z' } });
    expect(JSON.stringify(whole.json)).not.toContain('stored_instants_stay');
  });

  test('changes nothing if it has what a read answered', async () => {
    const night = { start_time: '22:00', end_time: '02:00', end_date: '2030-01-08' };
    const { acme, campaign, update, stored } = await world(night);
    const ends = async () => {
      const { start_at, end_at, end_date_at } = await stored();
      return { start_at, end_at, end_date_at };
    };
    const before = await ends();
    expect(before).toMatchObject({ end_at: new Date('2030-01-09T02:00:00Z') });
    const key = acme.keys.manager;
    const data = campaignOf(await client.send(`GET /api/v1/campaigns/${campaign.id}`, { key }));
    expect(campaignOf(await update({ ...data, name: 'Summer' }))).toEqual({ ...data, name: 'Summer' });
    expect(await ends()).toEqual(before);
  });

  test('replaces the fields that it names only', async () => {
    const { acme, campaign, update, stored } = await world({
      end_date: '2030-02-01',
      additional_params: { crm: 7 },
    });
    const before = await stored();
    const answer = await update({ name: 'Summer', start_time: '09:00', end_date: null, start_date: null });
    expect(answer.json).toEqual({
      message: 'Data updated correctly',
      meta: { warnings: expect.any(Array) as unknown },
      data: { ...campaign, name: 'Summer', start_time: '09:00', end_date: null },
    });
    const agentId = await acme.agent();
    expect(campaignOf(await update({ agent_id: agentId, organization_id: acme.id })).agent_id).toBe(agentId);
    const after = await stored();
    expect(after.revision).toBe(before.revision + 2);
  });

  test('new numbers are added and missing ones withdrawn; the others keep their history', async () => {
    const { campaign, update, recipients, leave } = await world();
    const later = new Date('2030-01-08T10:00:00.000Z');
    await leave(first, { attempts: 1, round_attempts: 1, last_outcome: 'busy', next_attempt_at: later });
    const ids = await recipients();
    const answer = campaignOf(await update({ phone_numbers: [fourth, first, second, fourth] }));
    expect(answer.phone_numbers).toEqual([fourth, first, second]);
    const after = await recipients();
    expect(after.get(first)).toMatchObject({
      id: ids.get(first)?.id,
      state: 'pending',
      attempts: 1,
      next_attempt_at: later,
    });
    expect(after.get(third)).toMatchObject({ state: 'withdrawn', withdrawn_at: someDate });
    expect(after.get(fourth)).toMatchObject({
      state: 'pending',
      attempts: 0,
      next_attempt_at: new Date(campaign.start_date),
    });
  });

  test('the order is the list’s, whatever is moved, taken off or put at the end', async () => {
    const { update } = await world();
    for (const list of [
      [third, second, first],
      [second, first, fourth],
      [first, fourth],
      [first, fourth, second, third],
      [fourth, third, second, first],
      [second],
      [second, first],
    ]) {
      expect(campaignOf(await update({ phone_numbers: list })).phone_numbers).toEqual(list);
    }
  });

  test('a recipient that returns keeps its used attempts', async () => {
    const { update, recipients, leave, campaign } = await world();
    const later = new Date('2030-03-01T10:00:00.000Z');
    await db
      .updateTable('campaign_configs')
      .set({ call_back_attempts: 2 })
      .where('campaign_id', '=', campaign.id)
      .execute();
    await leave(first, { attempts: 1, round_attempts: 1, last_outcome: 'busy', next_attempt_at: later });
    await leave(second, {
      state: 'done',
      attempts: 1,
      round_attempts: 1,
      last_outcome: 'completed',
      next_attempt_at: null,
    });
    await leave(third, { state: 'suppressed', next_attempt_at: null });
    await update({ phone_numbers: [fourth] });
    expect([...(await recipients()).values()].map((row) => [row.phone_number, row.state])).toEqual(
      expect.arrayContaining([
        [first, 'withdrawn'],
        [second, 'done'],
        [third, 'suppressed'],
        [fourth, 'pending'],
      ]),
    );
    await update({ phone_numbers: [fourth, first, second, third] });
    const after = await recipients();
    expect(after.get(first)).toMatchObject({
      state: 'pending',
      attempts: 1,
      next_attempt_at: later,
      withdrawn_at: null,
    });
    expect(after.get(second)).toMatchObject({ state: 'done', attempts: 1, withdrawn_at: null });
    // The gate checks again, because the number may have left the suppression list.
    expect(after.get(third)).toMatchObject({ state: 'pending', withdrawn_at: null });
  });

  test('a recipient in a call is withdrawn and keeps the call', async () => {
    const { update, recipients, leave } = await world();
    const dialing = {
      state: 'dialing',
      attempts: 1,
      round_attempts: 1,
      call_id: randomUUID(),
    };
    await leave(first, { ...dialing, next_attempt_at: null });
    expect(campaignOf(await update({ phone_numbers: [second] })).phone_numbers).toEqual([second]);
    expect((await recipients()).get(first)).toMatchObject({
      state: 'dialing',
      withdrawn_at: someDate,
    });
    await update({ phone_numbers: [first, second] });
    expect((await recipients()).get(first)).toMatchObject({
      state: 'dialing',
      withdrawn_at: null,
      attempts: 1,
    });
  });

  test('a new start moves those who were never attempted', async () => {
    const { update, recipients, leave } = await world();
    const later = new Date('2030-01-08T10:00:00.000Z');
    await leave(first, { attempts: 1, round_attempts: 1, last_outcome: 'busy', next_attempt_at: later });
    await update({ start_date: '2030-01-10T08:00:00Z' });
    const after = await recipients();
    expect(after.get(first)?.next_attempt_at).toEqual(later);
    expect(after.get(second)?.next_attempt_at).toEqual(new Date('2030-01-10T08:00:00Z'));
  });

  test('new parameters move zones and values, and the list stays', async () => {
    const { campaign, update, recipients, stored } = await world();
    const additional_params = {
      timezone: 'Asia/Tokyo',
      prompt_params: { greeting: 'Hi' },
      recipients: { [second]: { timezone: 'Europe/Rome', prompt_params: { name: 'Ann' } } },
    };
    expect(campaignOf(await update({ additional_params }))).toEqual({ ...campaign, additional_params });
    const after = await recipients();
    expect(
      [first, second].map((number) => [after.get(number)?.calling_key, after.get(number)?.prompt_params]),
    ).toEqual([
      ['Asia/Tokyo', null],
      ['Europe/Rome', { name: 'Ann' }],
    ]);
    const row = await stored();
    expect([row.timezone, row.calling_keys, row.prompt_params]).toEqual([
      'Asia/Tokyo',
      ['Asia/Tokyo', 'Europe/Rome'],
      { greeting: 'Hi' },
    ]);
    await update({ phone_numbers: [first] });
    expect((await stored()).calling_keys).toEqual(['Asia/Tokyo']);
  });

  test('the zone and the values of people stay, unless the update names them', async () => {
    const tokyo = { timezone: 'Asia/Tokyo', prompt_params: { name: 'Ken' } };
    const { acme, campaign, update, recipients, stored } = await world({
      additional_params: { timezone: 'UTC', recipients: { [first]: tokyo, [second]: tokyo } },
    });
    const add = (people: object[]) =>
      client.send(`POST /api/v1/campaigns/${campaign.id}/recipients`, {
        key: acme.keys.manager,
        json: people,
      });
    const keys = async () => (await stored()).calling_keys;
    const valuesOf = async (phoneNumber: string) => {
      const row = (await recipients()).get(phoneNumber);
      return [row?.calling_key, row?.place?.timezone, row?.prompt_params];
    };
    const london = ['Europe/London', 'Europe/London', { name: 'Ada' }];
    const added = { timezone: 'Europe/London', prompt_params: { name: 'Ada' } };
    await add([{ phone_number: fourth, ...added }]);
    // Taken off the list with values of the campaign, and returned with its own.
    await update({ phone_numbers: [first, third, fourth] });
    await add([{ phone_number: second, ...added }]);

    await update({ phone_numbers: [fourth, second, first, third] });
    expect([await valuesOf(fourth), await valuesOf(second)]).toEqual([london, london]);
    expect(await valuesOf(first)).toEqual(['Asia/Tokyo', 'Asia/Tokyo', { name: 'Ken' }]);
    expect(await keys()).toEqual(['Asia/Tokyo', 'Europe/London', 'UTC']);

    // Off the list while the zone of the campaign moves, and on it again.
    await update({ phone_numbers: [first] });
    expect(await keys()).toEqual(['Asia/Tokyo']);
    const moved = { timezone: 'Europe/Berlin', recipients: { [first]: { prompt_params: { name: 'Bo' } } } };
    await update({ phone_numbers: [first], additional_params: moved });
    await update({ phone_numbers: [first, third, fourth] });
    expect(await valuesOf(first)).toEqual(['Europe/Berlin', undefined, { name: 'Bo' }]);
    expect(await valuesOf(third)).toEqual(['Europe/Berlin', undefined, null]);
    expect(await valuesOf(fourth)).toEqual(london);
    expect(await keys()).toEqual(['Europe/Berlin', 'Europe/London']);

    // An entry gives values to a person who was added, and takes them away.
    await update({ additional_params: { timezone: 'Europe/Berlin', recipients: { [fourth]: tokyo } } });
    expect(await valuesOf(fourth)).toEqual(['Asia/Tokyo', 'Asia/Tokyo', { name: 'Ken' }]);
    expect(await valuesOf(first)).toEqual(['Europe/Berlin', undefined, null]);
    await update({ additional_params: { timezone: 'Europe/Berlin' } });
    expect(await valuesOf(fourth)).toEqual(['Europe/Berlin', undefined, null]);
  });

  test('null changes nothing, except in end_date', async () => {
    const { campaign, update } = await world({ end_date: '2030-02-01', additional_params: { crm: 7 } });
    const fields = ['name', 'agent_id', 'phone_numbers', 'start_date', 'start_time', 'end_time'];
    const nulls = Object.fromEntries(
      [...fields, 'end_date', 'organization_id', 'additional_params'].map((name) => [name, null]),
    );
    expect(campaignOf(await update(nulls))).toEqual({ ...campaign, end_date: null });
  });

  test.each([
    ['an end before the start that stays', { end_date: '2029-01-01' }, ['body', 'end_date']],
    ['no numbers', { phone_numbers: [] }, ['body', 'phone_numbers']],
    [
      'a number of the parameters that is not on the list',
      { additional_params: { recipients: { [fourth]: {} } } },
      ['body', 'additional_params', 'recipients', fourth],
    ],
    ['a name that is a number', { name: 5 }, ['body', 'name']],
  ])('%s is 422 and changes nothing', async (_, fields, loc) => {
    const { acme, campaign, update } = await world();
    const answer = await update(fields);
    expect(answer.status).toBe(422);
    expect(answer.json).toMatchObject({ detail: [{ loc, msg: someText, type: someText }] });
    const read = await client.send(`GET /api/v1/campaigns/${campaign.id}`, { key: acme.keys.viewer });
    expect(campaignOf(read)).toEqual(campaign);
  });

  test('another organization is 403, and its agent 404', async () => {
    const { update } = await world();
    const other = await organization();
    expect(await update({ organization_id: other.id })).toMatchObject({
      status: 403,
      json: { code: 'forbidden_organization' },
    });
    expect(await update({ agent_id: await other.agent() })).toMatchObject({
      status: 404,
      json: { code: 'not_found' },
    });
  });

  test.each(['draft', 'running', 'finished', 'canceled'])(
    'a recipient that is %s is 409 and stays',
    async (status) => {
      const { acme, campaign, update } = await world();
      await db
        .updateTable('campaigns')
        .set({ status: sql`${status}`, started_by: acme.userId })
        .where('id', '=', campaign.id)
        .execute();
      const answer = await update({ name: 'Other', phone_numbers: [fourth] });
      expect([answer.status, answer.json]).toEqual([409, { detail: someText, code: 'campaign_not_paused' }]);
      const read = await client.send(`GET /api/v1/campaigns/${campaign.id}`, { key: acme.keys.viewer });
      expect(campaignOf(read)).toMatchObject({ name: campaign.name, phone_numbers: numbers });
    },
  );
});
