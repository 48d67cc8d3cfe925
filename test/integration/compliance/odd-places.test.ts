import { allowedTimes, callingKeyOf, resolveKey } from '@outdial/core';
import { inTransaction, updateOrganization } from '@outdial/db';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { workbook } from '../../../packages/sheets/src/workbook.fixture.ts';
import { apiWorld } from '../api/api-world.ts';

/** What callers, their programs and spreadsheets send as the place of a person. None of it may open an hour that the number's own places close. */
const zones =
  'UTC utc Utc Etc/UTC etc/utc Etc/GMT Etc/GMT+5 ETC/gmt-14 GMT gmt Z Zulu UCT Universal EST est PST EST5EDT US/Pacific us/pacific US/Samoa ' +
  'Asia/Tokyo ASIA/TOKYO asia/tokyo +09:00 -05 UTC+9 Europe/London Pacific/Kiritimati Japan null undefined N/A 0 __proto__ America/New_York\u0000';
const regions =
  'US-CA us-ca CA California US DE de JP GB US-ZZ XX US-PR PR GU US-* * nowhere strict:JP US-FL,JP JP@Asia/Tokyo US-FL\u0000 __proto__';
const postalCodes =
  '90210 90210-1234 902101234 00901 00802 96910 96799 09001 34012 00000 99999 K1A0B1 k1a0b1 10115 1 ９０２１０ __proto__';

type Place = Record<string, unknown>;
const of = (field: string, values: readonly unknown[]): Place[] =>
  values.map((value) => ({ [field]: value }));
const texts: Array<Record<string, string>> = [
  ...zones.split(' ').map((timezone) => ({ timezone })),
  ...regions.split(' ').map((region) => ({ region })),
  ...postalCodes.split(' ').map((postal_code) => ({ postal_code })),
  ...['', ' ', ' Asia/Tokyo', 'Asia/Tokyo ', 'Asia\u00A0/Tokyo'].map((timezone) => ({ timezone })),
  ...['', ' ', 'US-CA ', 'New York'].map((region) => ({ region })),
  ...['', ' ', 'K1A 0B1', 'SW1A 1AA', '90210 '].map((postal_code) => ({ postal_code })),
  { timezone: 'UTC', region: 'US-CA' },
  { timezone: 'Asia/Tokyo', region: 'JP', postal_code: '90210' },
  { timezone: 'Asia/Tokyo', region: 'US-FL' },
  { region: 'JP', postal_code: '33101' },
];
const noTexts = [null, 5, ['UTC'], { name: 'UTC' }];
const places: Place[] = [
  ...texts,
  ...of('timezone', noTexts),
  ...of('region', noTexts),
  ...of('postal_code', noTexts),
  { Timezone: 'Asia/Tokyo' },
  { tz: 'Asia/Tokyo' },
  { state: 'CA' },
  { zip: '90210' },
  { calling_key: 'strict:JP', place: { timezone: 'Asia/Tokyo' } },
];

const { client, db, organization } = await apiWorld();
const acme = await organization();
const agentId = await acme.agent();
const { manager: key, member } = acme.keys;
await inTransaction(db, (tx) => updateOrganization(tx, acme.id, { calling_policy: 'strict' }, new Date()));

const fortnight = { fromMs: Date.UTC(2026, 11, 21), toMs: Date.UTC(2027, 0, 4) };
/** In Miami, in Berlin, and of a country with several zones. */
const numbers = ['+13055550142', '+493012345678', '+56961234567'];
const everyNumber = (place: Place) => Object.fromEntries(numbers.map((number) => [number, place]));
const created = z.object({ data: z.object({ id: z.string() }) });
const imported = z.object({ data: z.object({ campaign: z.object({ id: z.string() }).nullable() }) });

const create = (additionalParams: Place, status: 'draft' | 'paused' = 'draft') =>
  client.send('POST /api/v1/campaigns', {
    key,
    json: {
      name: 'Odd',
      agent_id: agentId,
      status,
      phone_numbers: numbers,
      additional_params: additionalParams,
    },
  });

async function createPlain(): Promise<string> {
  return created.parse((await create({}, 'paused')).json).data.id;
}

/** Notes an answer other than success or 422, and says whether it was a success. */
function wasTaken(answer: { status: number; bytes: Buffer }, subject: string, faults: string[]): boolean {
  if (![200, 201, 422].includes(answer.status)) {
    faults.push(`${subject}: ${answer.status} ${answer.bytes.toString()}`);
  }
  return answer.status < 300;
}

/** Notes who may be called when their number's own places forbid it. Returns how many people the campaign has. */
async function noteOpened(campaignId: string, subject: string, faults: string[]): Promise<number> {
  const people = await db
    .selectFrom('campaign_recipients')
    .select(['phone_number', 'calling_key'])
    .where('campaign_id', '=', campaignId)
    .execute();
  for (const { phone_number: phoneNumber, calling_key: callingKey } of people) {
    const own = allowedTimes(resolveKey(callingKeyOf('strict', { phoneNumber }, 'UTC')), fortnight);
    const isWithin = allowedTimes(resolveKey(callingKey), fortnight).every((time) =>
      own.some(({ fromMs, toMs }) => fromMs <= time.fromMs && time.toMs <= toMs),
    );
    if (!callingKey.startsWith('strict:') || !isWithin) {
      faults.push(`${subject} ${phoneNumber}: ${callingKey}`);
    }
  }
  return people.length;
}

test('in a campaign as it is created, for all of it and for its people', async () => {
  const faults: string[] = [];
  let people = 0;
  for (const place of places) {
    const subject = JSON.stringify(place);
    const answers = [await create({ recipients: everyNumber(place) })];
    // The zone of a campaign is that of its hours, and no place of a person.
    if ('timezone' in place) answers.push(await create(place));
    for (const answer of answers) {
      if (!wasTaken(answer, subject, faults)) continue;
      people += await noteOpened(created.parse(answer.json).data.id, subject, faults);
    }
  }
  expect(faults).toEqual([]);
  expect(people).toBeGreaterThan(places.length);
});

test('in people who are added', async () => {
  const faults: string[] = [];
  const campaignId = await createPlain();
  for (const [at, place] of places.entries()) {
    const recipients = [{ phone_number: `+1305555${2000 + at}`, ...place }];
    const answer = await client.send(`POST /api/v1/campaigns/${campaignId}/recipients`, {
      key,
      json: { recipients },
    });
    wasTaken(answer, JSON.stringify(place), faults);
  }
  const people = await noteOpened(campaignId, 'added', faults);
  expect(faults).toEqual([]);
  expect(people).toBeGreaterThan(numbers.length + 20);
});

test('in a change of a campaign', async () => {
  const faults: string[] = [];
  const campaignId = await createPlain();
  let changes = 0;
  for (const place of places) {
    const subject = JSON.stringify(place);
    const answer = await client.send(`PUT /api/v1/campaigns/${campaignId}`, {
      key,
      json: { additional_params: { ...place, recipients: everyNumber(place) } },
    });
    if (wasTaken(answer, subject, faults)) changes += 1;
    await noteOpened(campaignId, subject, faults);
  }
  expect(faults).toEqual([]);
  expect(changes).toBeGreaterThan(20);
});

const asCsv = (rows: string[][]) =>
  Buffer.from(rows.map((row) => row.map((cell) => `"${cell}"`).join(',')).join('\n'));

test.each([
  ['csv', asCsv, ['timezone', 'region', 'postal_code']],
  ['csv', asCsv, ['TimeZone', 'Region', 'Postal_Code']],
  ['xlsx', workbook, ['timezone', 'region', 'postal_code']],
] as const)('in the columns of an imported %s', async (kind, write, columns) => {
  const faults: string[] = [];
  // Neither a cell of XML nor a line of CSV can have NUL.
  const cells = texts.map(({ timezone = '', region = '', postal_code: postalCode = '' }) =>
    [timezone, region, postalCode].map((cell) => cell.replaceAll('\u0000', '')),
  );
  const rows = [
    ['phone_number', ...columns],
    ...cells.map((row, at) => [`+1305555${String(3000 + at)}`, ...row]),
  ];
  const form = new FormData();
  form.set('campaign', JSON.stringify({ name: 'Odd', agent_id: agentId }));
  form.set('file', new Blob([new Uint8Array(write(rows))]), `list.${kind}`);
  const answer = await client.send('POST /api/v1/campaigns/import', { key, body: form });
  const { campaign } = imported.parse(answer.json).data;
  const people = await noteOpened(campaign?.id ?? '', kind, faults);
  expect(faults).toEqual([]);
  expect(people).toBeGreaterThan(20);
});

test('a direct call takes no place: its number alone decides', async () => {
  const statuses = new Set<number>();
  for (const place of places) {
    // Of a number of no country, which a place would make dialable.
    const json = { to_phone: '+80012345600', ...place };
    statuses.add((await client.send(`POST /api/v1/agents/${agentId}/call`, { key: member, json })).status);
  }
  expect([...statuses].filter((status) => status !== 409 && status !== 422)).toEqual([]);
});
