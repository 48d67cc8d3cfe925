import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { apiWorld } from '../api/api-world.ts';

/** Mistakes of integrators in their first hour. Each answer must be enough to correct the request. */
const world = await apiWorld();
const acme = await world.organization();
const agentId = await acme.agent();
const { admin } = acme.keys;
const campaign = {
  name: 'Spring',
  agent_id: agentId,
  phone_numbers: ['+15550100001'],
};
const draftId = await world.client.create('POST /api/v1/campaigns', { key: admin, json: campaign });
const campaignPath = `/api/v1/campaigns/${draftId}`;

const refusal = z.object({
  detail: z.union([z.string(), z.array(z.object({ loc: z.array(z.unknown()), msg: z.string() }))]),
});
const warned = z.object({
  meta: z.object({ warnings: z.array(z.object({ loc: z.array(z.unknown()), msg: z.string() })) }),
});

/** All faults of an answer, one per line: `body.name: Field required`. */
function saidBy(json: unknown): string {
  const { detail } = refusal.parse(json);
  return typeof detail === 'string'
    ? detail
    : detail.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('\n');
}

async function said(label: string, json: unknown): Promise<string> {
  const answer = await world.client.send(label, { key: admin, json });
  expect(answer.status).toBe(422);
  return saidBy(answer.json);
}

describe('bodies', () => {
  test.each<[string, object, string]>([
    [
      'a number with blanks',
      { phone_numbers: ['+1 555 010 0001'] },
      'body.phone_numbers.0: Input should be a phone number in E.164 format, such as +15550100123, not "+• ••• ••• ••01"',
    ],
    [
      'a number that is one',
      { phone_numbers: [15550100001] },
      'body.phone_numbers.0: Input should be a phone number in E.164 format, such as +15550100123, not •••••••••01',
    ],
    [
      'numbers as text',
      { phone_numbers: '+15550100001' },
      'body.phone_numbers: Input should be a valid list, such as ["+15550100123"], not "+•••••••••01"',
    ],
    [
      'a clock of twelve hours',
      { start_time: '9am' },
      'body.start_time: Input should be a time of day, HH:MM or HH:MM:SS, such as 09:00, not "9am"',
    ],
    [
      'a date with slashes',
      { start_date: '03/02/2026' },
      'body.start_date: Input should be an ISO 8601 date or date-time, such as 2026-03-02 or 2026-03-02T09:00:00Z, not "03/02/2026"',
    ],
    [
      'a day that does not exist',
      { start_date: '2026-02-30' },
      'body.start_date: Input should be a date and time that exist, not "2026-02-30"',
    ],
    [
      'an end before the start',
      { start_date: '2099-02-02', end_date: '2099-02-01' },
      'body.end_date: end_date should be after start_date, not "2099-02-01"',
    ],
    [
      'an abbreviation for a zone',
      { additional_params: { timezone: 'EST' } },
      'body.additional_params.timezone: Input should be an IANA time zone with a slash, such as America/New_York, or UTC, not "EST"; perhaps America/',
    ],
    [
      'a number for a value of the prompt',
      { additional_params: { prompt_params: { age: 42 } } },
      'body.additional_params.prompt_params.age: Input should be a valid string, in quotation marks, not ',
    ],
    [
      'people as objects',
      { phone_numbers: [{ phone_number: '+15550100001', name: 'Ada' }] },
      'data about a person belongs in `additional_params.recipients`, with the number as its key',
    ],
    [
      'people as a list',
      { additional_params: { recipients: [{ phone_number: '+15550100001' }] } },
      'Input should be a valid object with phone numbers as keys, such as {"+15550100123": {"prompt_params": {"name": "Ada"}}}, not a list',
    ],
    [
      'a time of day as a number',
      { end_time: 1730 },
      'body.end_time: Input should be a time of day, HH:MM or HH:MM:SS, such as 09:00, not 1730',
    ],
    [
      'a zone as a number',
      { additional_params: { timezone: -5 } },
      'body.additional_params.timezone: Input should be an IANA time zone with a slash, such as America/New_York, or UTC, not -5',
    ],
    [
      'details of somebody who is not on the list',
      { additional_params: { recipients: { '+15550100009': {} } } },
      'This number is not in phone_numbers',
    ],
  ])('%s', async (_, wrong, message) => {
    expect(await said('POST /api/v1/campaigns', { ...campaign, ...wrong })).toContain(message);
  });

  test('a misnamed field is named with the missing one', async () => {
    const wrong = { nme: 'Spring', agentId: agentId, phoneNumbers: ['+15550100001'] };
    expect((await said('POST /api/v1/campaigns', wrong)).split('\n').toSorted()).toEqual([
      'body.agent_id: Field required; `agentId` is unknown; did you mean `agent_id`?',
      'body.name: Field required; `nme` is unknown; did you mean `name`?',
      'body.phone_numbers: Field required; `phoneNumbers` is unknown; did you mean `phone_numbers`?',
    ]);
  });

  test('a fault of an added recipient names the right place of its values', async () => {
    const recipients = [{ phone: '+15550100001', name: 'Ada' }];
    const answer = await world.client.send(`POST ${campaignPath}/recipients`, {
      key: admin,
      json: { recipients },
    });
    expect(answer.status).toBe(200);
    const { data } = z
      .object({ data: z.object({ refused: z.array(z.object({ reason: z.string() })) }) })
      .parse(answer.json);
    expect(data.refused[0]?.reason.split('; ')).toEqual([
      'phone_number: Field required',
      'phone: Field not expected',
      'did you mean `phone_number`?',
      'name: Field not expected',
      'prompt values belong in `prompt_params`',
    ]);
  });

  test('the first hundred of many wrong numbers are named, and the others are counted', async () => {
    const phone_numbers = Array.from({ length: 5_000 }, (_, index) => `wrong ${index}`);
    const lines = (await said('POST /api/v1/campaigns', { ...campaign, phone_numbers })).split('\n');
    expect(lines).toHaveLength(101);
    expect(lines.at(-1)).toBe('body.phone_numbers: and 4900 more errors like these, which are not listed');
  });

  test.each<[string, string, object, string]>([
    [
      'delays of an outcome that does not exist',
      `PUT ${campaignPath}/config`,
      { retry_delays_seconds: { bussy: [60] } },
      'body.retry_delays_seconds.bussy: Field not expected; did you mean `busy`?',
    ],
    [
      'an address that is none',
      'POST /api/v1/users',
      { email: 'nobody', first_name: 'Ada', last_name: '', role: 'member' },
      'body.email: ',
    ],
    [
      'a misspelled field',
      'POST /api/v1/suppressions',
      { phone_number: '+15550100001', reson: 'asked' },
      'body.reson: Field not expected; did you mean `reason`?',
    ],
    [
      'a number under the name that other operations have for it',
      `POST /api/v1/agents/${agentId}/call`,
      { phone_number: '+15550100001' },
      'body.to_phone: Field required; `phone_number` is unknown',
    ],
    [
      'recipients as a campaign is made with them',
      `POST ${campaignPath}/recipients`,
      { phone_numbers: ['+15550100001'] },
      'body: Input should be 1 to 10000 recipients: {"recipients": [{"phone_number": "+15550100123"}]}, the list alone, or a single recipient',
    ],
  ])('%s', async (_, label, json, message) => {
    expect(await said(label, json)).toContain(message);
  });

  test.each<[string, object, string]>([
    ['a field in camel case', { startTime: '09:00' }, 'did you mean `start_time`?'],
    [
      'a zone beside the fields',
      { timezone: 'America/New_York' },
      'it belongs in `additional_params.timezone`',
    ],
    [
      'a rule of the config',
      { call_back_attempts: 3 },
      'it belongs in `PUT /api/v1/campaigns/{campaign_id}/config`',
    ],
  ])('a campaign is made and warns of %s', async (_, extra, message) => {
    const { status, json } = await world.client.send('POST /api/v1/campaigns', {
      key: admin,
      json: { ...campaign, ...extra },
    });
    expect(status).toBe(200);
    const name = Object.keys(extra)[0];
    const found = warned.parse(json).meta.warnings.find(({ loc }) => loc[1] === name);
    expect(found?.msg).toContain(message);
  });

  test('truncated JSON is reported with its position', async () => {
    const { status, json } = await world.client.send('POST /api/v1/campaigns', {
      key: admin,
      headers: { 'Content-Type': 'application/json' },
      body: '{"name": "Spring",}',
    });
    expect(status).toBe(400);
    expect(saidBy(json)).toBe('The body is not valid JSON: see line 1, column 19');
  });
});

describe('spreadsheets', () => {
  const definition = { name: 'x', agent_id: agentId };
  const imported = async (
    text: string,
    {
      part = 'file',
      fields = {},
      people = definition,
    }: { part?: string; fields?: Record<string, string>; people?: object } = {},
  ) => {
    const form = new FormData();
    form.append(part, new Blob([text]), 'people.csv');
    for (const [name, value] of Object.entries({ campaign: JSON.stringify(people), ...fields })) {
      form.append(name, value);
    }
    return world.client.send('POST /api/v1/campaigns/import', { key: admin, body: form });
  };

  test.each<[string, string, object, string]>([
    [
      'a file without names of columns, whose first person stays private',
      '+15550100001,Ada\n+15550100002,Bob\n',
      {},
      'the line has a phone number: put a line with the names of the columns above it',
    ],
    [
      'a file without names of columns, with national numbers',
      'Ada Lovelace,(212) 555-0123,ada@x.com\nBob,(212) 555-0124,bob@x.com\n',
      { fields: { country: 'US' } },
      'the line has a phone number: put a line with the names of the columns above it',
    ],
    ['a file without rows', 'phone,name\n', {}, 'body.file: The file has no rows below the first line'],
    [
      'a file under another name',
      'phone\n+15550100001\n',
      { part: 'spreadsheet' },
      'body.spreadsheet: File not expected; the form has one file, in the part `file`',
    ],
    [
      'a mapping of a column in another case',
      'Mobile\n+15550100001\n',
      { fields: { mapping: '{"mobile": "phone_number"}' } },
      'body.mapping: The file has no column mobile; its first line has Mobile',
    ],
  ])('%s', async (_, text, args, message) => {
    const answer = await imported(text, args);
    expect(answer.status).toBe(422);
    expect(saidBy(answer.json)).toContain(message);
  });

  test('JSON instead of a form', async () => {
    const answer = await world.client.send('POST /api/v1/campaigns/import', { key: admin, json: {} });
    expect(answer.status).toBe(415);
    expect(saidBy(answer.json)).toContain('curl -F file=@path');
  });

  test('a row with an abbreviated zone gets suggestions', async () => {
    const answer = await imported('phone,timezone\n+15550100001,BST\n+15550100002,Europe/Paris\n', {
      fields: { dry_run: 'true' },
    });
    expect(JSON.stringify(answer.json)).toContain('perhaps Europe/London, or Asia/Dhaka');
  });

  test('a dry run has the warnings and refusals of the campaign, and creates nothing', async () => {
    await world.client.send(`POST /api/v1/agents/${agentId}/prompts`, {
      key: admin,
      json: { prompt: 'Hello {{name}}' },
    });
    const before = await world.client.send('GET /api/v1/campaigns', { key: admin });
    const trial = { fields: { dry_run: 'true' } };
    const answer = await imported('phone\n+15550100001\n', trial);
    expect(answer.status).toBe(200);
    const codes = JSON.stringify(warned.parse(answer.json).meta.warnings);
    expect(codes).toContain('{{name}}, and 1 recipient has no value for it');
    const faulty = { ...definition, start_date: '2099-02-02', end_date: '2099-02-01' };
    const refused = await imported('phone\n+15550100001\n', { ...trial, people: faulty });
    expect(refused.status).toBe(422);
    expect((await world.client.send('GET /api/v1/campaigns', { key: admin })).json).toEqual(before.json);
  });
});

describe('queries', () => {
  test.each([
    [
      'a misspelled filter',
      '/api/v1/calls?campain_id=1',
      'query.campain_id: Parameter not expected; did you mean `campaign_id`?',
    ],
    [
      'a parameter of another operation',
      `${campaignPath}/progress?page=2`,
      'query.page: Parameter not expected; this operation has no parameters',
    ],
    [
      'a page from zero',
      '/api/v1/campaigns?page=0',
      'query.page: Input should be greater than or equal to 1, not "0"',
    ],
    [
      'a size beyond the largest',
      '/api/v1/campaigns?size=500',
      'query.size: Input should be less than or equal to 100, not "500"',
    ],
    [
      'a day for an instant',
      '/api/v1/calls?from=2026-03-01',
      'query.from: Input should be an ISO 8601 date-time with an offset, such as 2026-03-01T09:00:00Z, not "2026-03-01"',
    ],
    [
      'an end before the beginning',
      '/api/v1/calls?from=2026-03-02T00:00:00Z&to=2026-03-01T00:00:00Z',
      'query.to: to should be at or after from, not "2026-03-01T00:00:00Z"',
    ],
    [
      'a number whose plus sign is not encoded',
      '/api/v1/calls?phone_number=+15550100001',
      'query.phone_number: Input should be a phone number in E.164 format, such as +15550100123, not " •••••••••01"; in a query, write a plus sign as %2B',
    ],
    [
      'a parameter twice',
      '/api/v1/calls?limit=10&limit=20',
      'query.limit: Parameter should be given once, not several times',
    ],
    [
      'a key in the address',
      '/api/v1/calls?api_key=od_x',
      'query.api_key: Parameter not expected; send an API key in the X-API-Key header',
    ],
  ])('%s', async (_, path, message) => {
    expect(await said(`GET ${path}`, undefined)).toBe(message);
  });
});

test('a type of events that does not exist', async () => {
  const message = await said('GET /api/v1/events?types=call.end', undefined);
  expect(message).toMatch(
    /^query\.types\.0: Input should be 'call\.started', .*; did you mean 'call\.ended'\?$/,
  );
});

test.each([
  ['a path in the singular', 'GET /api/v1/campaign', 404, 'did you mean /api/v1/campaigns?'],
  [
    'another method',
    `PATCH ${campaignPath}`,
    405,
    'PATCH is not supported here: this path supports DELETE, GET, PUT',
  ],
])('%s', async (_, label, status, message) => {
  const answer = await world.client.send(label, { key: admin });
  expect(answer.status).toBe(status);
  expect(saidBy(answer.json)).toContain(message);
});

test('a call in a browser without a configured voice process is refused', async () => {
  const answer = await world.client.send(`POST /api/v1/agents/${agentId}/web-call`, { key: admin, json: {} });
  expect([answer.status, saidBy(answer.json)]).toEqual([503, 'No voice process accepts calls at the moment']);
});

test('a key in the URL, with no other credential', async () => {
  const answer = await world.client.send(`GET /api/v1/calls?key=${admin}`);
  expect(answer.status).toBe(401);
  expect(saidBy(answer.json)).toBe(
    'The URL contains an API key, which ends up in logs: revoke the key, and send a new one in the X-API-Key header',
  );
});

describe('credentials', () => {
  const key = acme.keys.viewer;
  test.each<[string, Record<string, string>, string]>([
    [
      'a key as a token',
      { Authorization: `Bearer ${key}` },
      'This looks like an API key: send it as X-API-Key',
    ],
    [
      'a key under a scheme of its own',
      { Authorization: `ApiKey ${key}` },
      'This looks like an API key: send it as X-API-Key',
    ],
    ['a key under another header', { 'API-Key': key }, 'This looks like an API key: send it as X-API-Key'],
    ['a key without a scheme', { Authorization: key }, 'This looks like an API key: send it as X-API-Key'],
    [
      'a token as a key',
      { 'X-API-Key': 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln' },
      'This looks like a token: send it as Authorization: Bearer',
    ],
    [
      'a key with its scheme',
      { 'X-API-Key': `Bearer ${key}` },
      'X-API-Key should contain only the key, without Bearer',
    ],
    [
      'a variable that the shell did not replace',
      { 'X-API-Key': '$key' },
      'X-API-Key contains a placeholder: replace it with the key',
    ],
    [
      'a variable that is not set',
      { 'X-API-Key': '' },
      'X-API-Key is empty: check that the variable with the key is set',
    ],
    ['nothing', {}, 'Send an API key as X-API-Key, or a token as Authorization: Bearer'],
  ])('%s', async (_, headers, message) => {
    const { status, json } = await world.client.send('GET /api/v1/campaigns', { headers });
    expect(status).toBe(401);
    expect(saidBy(json)).toBe(message);
  });
});
