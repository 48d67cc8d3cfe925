import { warning } from '@outdial/contracts';
import { inTransaction, updateOrganization } from '@outdial/db';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { apiWorld } from '../api/api-world.ts';
import type { ApiAnswer } from '../api/contract-client.ts';
import { campaignOf, mondayAtTwo, numbers, setClock } from './campaign-requests.ts';

const { client, db, organization } = await apiWorld();
const acme = await organization();
const { manager } = acme.keys;
await setClock(db);

/** A valid campaign without warnings. */
const good = {
  name: 'Spring',
  phone_numbers: numbers,
  status: 'paused',
  start_time: '09:00',
  end_time: '17:00',
  additional_params: { timezone: 'America/New_York', prompt_params: { name: 'you' } },
};

function warningsOf(answer: ApiAnswer) {
  const { meta } = z
    .object({ meta: z.looseObject({ warnings: z.array(warning).optional() }) })
    .parse(answer.json);
  return meta.warnings ?? [];
}

async function create(fields: object = {}) {
  return client.send('POST /api/v1/campaigns', {
    key: manager,
    json: { ...good, agent_id: await acme.agent(), ...fields },
  });
}

const codes = (answer: ApiAnswer) => warningsOf(answer).map(({ code }) => code);

test.each([{}, { start_time: '08:00', end_time: '21:00' }])(
  'a complete campaign causes no warning, with %j',
  async (hours) => {
    expect(codes(await create(hours))).toEqual([]);
  },
);

test('numbers that occur twice in a list are named, as in a file', async () => {
  const repeated = {
    code: 'repeated_number',
    loc: ['body', 'phone_numbers'],
    msg: expect.stringMatching(/dialed once: phone_numbers\[2\], phone_numbers\[3\]$/) as unknown,
  };
  const [one = '', two = ''] = numbers;
  const answer = await create({ phone_numbers: [one, two, one, one] });
  expect(warningsOf(answer)).toEqual([repeated]);
  const { data } = z.object({ data: z.object({ id: z.string() }) }).parse(answer.json);
  const update = (phone_numbers: string[]) =>
    client.send(`PUT /api/v1/campaigns/${data.id}`, { key: manager, json: { phone_numbers } });
  expect(warningsOf(await update([two, one, one, two]))).toEqual([repeated]);
  expect(warningsOf(await update([two, one]))).toEqual([]);
  const many = await create({ phone_numbers: Array.from({ length: 100 }, () => one) });
  expect(warningsOf(many)[0]?.msg).toMatch(/phone_numbers\[20\], and 79 more$/);
});

test('under a policy, rules that ask for more than Outdial does, and texts that were read too long ago', async () => {
  const strict = await organization();
  const { id } = strict;
  const now = new Date(mondayAtTwo);
  await inTransaction(db, (tx) => updateOrganization(tx, id, { calling_policy: 'strict' }, now));
  const make = async (phone: string) =>
    warningsOf(
      await client.send('POST /api/v1/campaigns', {
        key: strict.keys.manager,
        json: { ...good, phone_numbers: [phone], agent_id: await strict.agent() },
      }),
    );
  const consentNeeded = {
    code: 'consent_needed',
    msg: expect.stringMatching(/United States .*prior_express_written/) as unknown,
  };
  expect(await make('+12135550123')).toMatchObject([
    { code: 'natural_voice_first', msg: expect.stringContaining('California') as unknown },
    consentNeeded,
  ]);
  expect(await make('+12125550123')).toMatchObject([consentNeeded]);
  expect(await make('+819012345678')).toEqual([]);
  await setClock(db, '2027-06-01T14:00:00Z');
  try {
    expect(await make('+12125550123')).toMatchObject([
      consentNeeded,
      { code: 'rules_to_review', msg: expect.stringContaining('United States (2026-11-22)') as unknown },
    ]);
  } finally {
    await setClock(db);
  }
});

test.each<[string, object]>([
  ['open_all_day', { start_time: '00:00', end_time: '24:00' }],
  ['open_at_night', { start_time: '21:00', end_time: '09:00' }],
  ['open_at_night', { end_time: undefined }],
  ['open_at_night', { start_time: undefined }],
  ['open_at_night', { start_time: '07:59' }],
  ['open_at_night', { end_time: '21:01' }],
  ['default_timezone', { additional_params: { prompt_params: { name: 'you' } } }],
  ['starts_in_the_past', { start_date: '2027-01-01' }],
  ['never_open', { start_date: '2027-03-06', end_date: '2027-03-07' }],
  ['prompt_value_missing', { additional_params: { timezone: 'America/New_York' } }],
  ['unknown_field', { startTime: '10:00' }],
])('%s', async (code, fields) => {
  expect(codes(await create(fields))).toEqual([code]);
});

test('under a calling policy, hours and zones cause no warning, because the rules forbid calls at night', async () => {
  const setPolicy = (calling_policy: string) =>
    client.send('PUT /api/v1/organization', { key: acme.keys.admin, json: { calling_policy } });
  const allDay = { start_time: '00:00', end_time: '24:00' };
  const anywhere = { additional_params: { prompt_params: { name: 'you' } } };
  await setPolicy('standard');
  expect(codes(await create({ ...allDay, ...anywhere }))).toEqual([]);
  await setPolicy('none');
  expect(codes(await create({ ...allDay, ...anywhere }))).toEqual(['open_all_day', 'default_timezone']);
});

test('a placeholder in single braces causes a warning for the prompt and for each campaign', async () => {
  const prompt = 'Hello {name}, this is about {{order}} and {"json": 1}.';
  const agent = await client.send('POST /api/v1/agents', { key: manager, json: { name: 'Braces', prompt } });
  expect(warningsOf(agent)).toMatchObject([
    {
      code: 'prompt_single_braces',
      loc: ['body', 'prompt'],
      msg: expect.stringContaining('{{name}}') as unknown,
    },
  ]);
  const { id } = z.object({ data: z.object({ id: z.string() }) }).parse(agent.json).data;
  const additional_params = { timezone: 'America/New_York', prompt_params: { order: '7' } };
  expect(codes(await create({ agent_id: id, additional_params }))).toEqual(['prompt_single_braces']);
  const better = { level: 2, prompt: 'Hello {{name}}.' };
  const path = `POST /api/v1/agents/${id}/prompts`;
  expect(codes(await client.send(path, { key: manager, json: better }))).toEqual([]);
  expect(codes(await client.send(path, { key: manager, json: { level: 3, prompt } }))).toEqual([
    'prompt_single_braces',
  ]);
});

test('a placeholder without a value is counted, whatever single recipients have', async () => {
  const [first = ''] = numbers;
  const answer = await create({
    additional_params: {
      timezone: 'America/New_York',
      recipients: { [first]: { prompt_params: { name: 'Ada' } } },
    },
  });
  expect(warningsOf(answer)).toMatchObject([
    {
      loc: ['body', 'additional_params', 'prompt_params', 'name'],
      msg: expect.stringMatching(/\{\{name\}\}.* 2 recipients/) as unknown,
    },
  ]);
});

test('an update, a config and a status also warn of a fault in the schedule', async () => {
  const { id } = campaignOf(await create());
  const put = (path: string, json: object) =>
    client.send(`PUT /api/v1/campaigns/${id}${path}`, { key: manager, json });
  expect(codes(await put('', { start_time: '00:00', end_time: '00:00' }))).toEqual(['open_all_day']);
  expect(codes(await put('/config', { call_back_attempts: 1, retries: 2 }))).toEqual([
    'unknown_field',
    'open_all_day',
  ]);
  expect(codes(await put('/status', { status: 'running' }))).toEqual(['open_all_day']);
  expect(codes(await put('/status', { status: 'canceled' }))).toEqual([]);
});

const [person = ''] = numbers;
const ofPerson = (name: string, value: unknown) => ({ recipients: { [person]: { [name]: value } } });

test.each<[object, string[], RegExp]>([
  [{ time_zone: 'America/New_York' }, ['time_zone'], /did you mean `timezone`\?/],
  [{ timeZone: 'America/New_York' }, ['timeZone'], /did you mean `timezone`\?/],
  [ofPerson('tz', 'UTC'), ['recipients', person, 'tz'], /did you mean `timezone`\?/],
  ...['Region', 'postalCode', 'state', 'zip'].map((name): [object, string[], RegExp] => [
    ofPerson(name, 'US-CA'),
    ['recipients', person, name],
    /./,
  ]),
  ...['name', 'note', 'promptValues', 'phone_number'].map((name): [object, string[], RegExp] => [
    ofPerson(name, 'Ada'),
    ['recipients', person, name],
    /`prompt_params`/,
  ]),
])('%j is kept, and warned of', async (params, path, msg) => {
  const answer = await create({ additional_params: { prompt_params: { name: 'you' }, ...params } });
  expect(campaignOf(answer).additional_params).toMatchObject(params);
  expect(warningsOf(answer)).toContainEqual({
    code: 'unknown_field',
    loc: ['body', 'additional_params', ...path],
    msg: expect.stringMatching(msg) as unknown,
  });
});

test('a zone whose name has the sign reversed is warned of, for the campaign and for a person', async () => {
  const recipients = { [numbers[0] ?? '']: { timezone: 'Etc/GMT-3' } };
  const answer = await create({ additional_params: { timezone: 'Etc/GMT+5', recipients } });
  const found = warningsOf(answer).filter(({ code }) => code === 'reversed_offset');
  expect(new Set(found.map(({ msg }) => msg.split(':')[0]))).toEqual(
    new Set(['Etc/GMT+5 is UTC-5', 'Etc/GMT-3 is UTC+3']),
  );
});

test('the same zone is warned of for people who are added, and for the organization', async () => {
  const { data } = z.object({ data: z.object({ id: z.string() }) }).parse((await create()).json);
  const added = await client.send(`POST /api/v1/campaigns/${data.id}/recipients`, {
    key: manager,
    json: [
      { phone_number: '+15550100077', timezone: 'Etc/GMT+5' },
      { phone_number: '+15550100078', timezone: 'America/New_York' },
    ],
  });
  const told = { code: 'reversed_offset', msg: expect.stringMatching(/^Etc\/GMT\+5 is UTC-5:/) as unknown };
  expect(warningsOf(added)).toMatchObject([told]);
  const other = await organization();
  const zone = (timezone: string) =>
    client.send('PUT /api/v1/organization', { key: other.keys.admin, json: { timezone } });
  expect(warningsOf(await zone('Etc/GMT+5'))).toMatchObject([{ ...told, loc: ['body', 'timezone'] }]);
  expect(warningsOf(await zone('Etc/GMT+0'))).toEqual([]);
});

/** An import of two people, with the fields of the test. */
async function imported(campaign: object, head = 'phone,name') {
  const form = new FormData();
  form.set('file', new Blob([`${head}\n+15550100001,Ada\n+15550100002,Grace\n`]), 'people.csv');
  form.set('campaign', JSON.stringify({ name: 'Spring', agent_id: await acme.agent(), ...campaign }));
  return client.send('POST /api/v1/campaigns/import', { key: manager, body: form });
}

test('an import refuses fields that it would drop or overwrite', async () => {
  const wrong = {
    timezone: 'America/New_York',
    phone_numbers: ['+15550100009'],
    additional_params: { recipients: {} },
  };
  const { status, json } = await imported(wrong);
  expect(status).toBe(422);
  const { detail } = z
    .object({ detail: z.array(z.object({ loc: z.array(z.string()), msg: z.string() })) })
    .parse(json);
  expect(detail.map(({ loc }) => loc.slice(2).join('.'))).toEqual([
    'timezone',
    'phone_numbers',
    'additional_params.recipients',
  ]);
  expect(detail[0]?.msg).toContain('it belongs in `additional_params.timezone`');
});

test('an import warns of a column that was probably meant for time zones', async () => {
  const answer = await imported({ additional_params: { timezone: 'UTC' } }, 'phone,time zone');
  expect(answer.status).toBe(200);
  expect(warningsOf(answer).map(({ loc }) => loc)).toContainEqual(['body', 'file', 'time zone']);
});
