import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { apiWorld } from './api-world.ts';

const { client, organization } = await apiWorld();

/** Line 2 lost its plus in a spreadsheet, 5 and 6 hold two numbers. */
const lines = [
  'phone,name',
  '491713920012,Ada',
  '017139200013,Grace',
  '+491713920014,Edsger',
  '030 23125012/13,Barbara',
  '+49 171 3920015/6,Alan',
];

const readings = [
  [2, '+49 ••••••••12', '+49 ••••••••••12'],
  [5, '+49 ••••••••12', '+49 ••••••••13'],
  [6, '+49 ••••••••15', '+49 ••••••••16'],
] as const;

const answered = z.object({
  data: z.object({ refused: z.array(z.object({ line: z.int(), reason: z.string() })) }),
});

type Door = {
  path: string;
  fields?: (agentId: string) => Record<string, string>;
  /** Further columns of each row. */
  columns?: string;
  cells?: string;
};

const doors: Record<string, Door> = {
  campaigns: {
    path: 'campaigns',
    fields: (agentId) => ({ campaign: JSON.stringify({ name: 'Spring', agent_id: agentId }) }),
  },
  suppressions: { path: 'suppressions' },
  'scrub lists': {
    path: 'scrub-lists',
    fields: () => ({
      name: 'robinson',
      source: 'DDV',
      scrubbed_at: new Date().toISOString(),
      complete: 'false',
    }),
  },
  consents: {
    path: 'consents',
    columns: ',basis,source,given_at',
    cells: ',prior_express,form,2026-01-05T09:00:00Z',
  },
  'number changes': {
    path: 'number-changes',
    columns: ',kind,changed_at,source',
    cells: ',ported,2026-01-05T09:00:00Z,registry',
  },
};

describe.each(Object.entries(doors))('an import of %s', (_name, door) => {
  async function imported(file: readonly string[], more: Record<string, string>) {
    const acme = await organization();
    const form = new FormData();
    const rows = file.map((row, at) => `${row}${(at === 0 ? door.columns : door.cells) ?? ''}`);
    form.set('file', new Blob([rows.join('\n')], { type: 'text/csv' }), 'people.csv');
    const parts = { ...door.fields?.(await acme.agent()), ...more };
    for (const [name, value] of Object.entries(parts)) form.set(name, value);
    const answer = await client.send(`POST /api/v1/${door.path}/import`, {
      key: acme.keys.manager,
      body: form,
    });
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.json));
    return answered.parse(answer.json).data.refused;
  }

  test('refuses what can be read as two numbers, with both readings and without the numbers', async () => {
    const twice = [...lines, '+491713920021,Joan', '+491713920022,Jean'];
    const refused = await imported(twice, { country: 'DE' });
    expect(refused.map(({ line }) => line)).toEqual([2, 5, 6]);
    for (const [at, [, ...both]] of readings.entries()) {
      for (const reading of both) expect(refused[at]?.reason).toContain(reading);
    }
    expect(JSON.stringify(refused)).not.toMatch(/\d{5}/);
  });

  test.each(['international', 'national'])('with numbers=%s takes the unclear one', async (numbers) => {
    const refused = await imported(lines, { country: 'DE', numbers });
    expect(refused.map(({ line }) => line)).toEqual([5, 6]);
  });

  test('reads without a country what numbers=international says', async () => {
    expect(await imported(['phone,name', '491713920012,Ada'], { numbers: 'international' })).toEqual([]);
  });
});

test.each([
  ['suppressions', { items: [{ phone_number: '491713920012' }, { phone_number: '+49 171 3920014' }] }],
  [
    'consents',
    {
      items: ['491713920012', '+49 171 3920014'].map((phone_number) => ({
        phone_number,
        basis: 'prior_express',
        source: 'form',
        given_at: '2026-01-05T09:00:00Z',
      })),
    },
  ],
  [
    'number-changes',
    {
      items: ['491713920012', '+49 171 3920014'].map((phone_number) => ({
        phone_number,
        kind: 'ported',
        source: 'registry',
        changed_at: '2026-01-05T09:00:00Z',
      })),
    },
  ],
  [
    'scrub-lists',
    {
      name: 'robinson',
      source: 'DDV',
      scrubbed_at: new Date().toISOString(),
      complete: false,
      numbers: ['491713920012', '+49 171 3920014'],
    },
  ],
])('JSON for %s is read as a file is', async (path, json) => {
  const acme = await organization();
  const answer = await client.send(`POST /api/v1/${path}/import`, {
    key: acme.keys.manager,
    json: { ...json, country: 'DE' },
  });
  const { refused } = answered.parse(answer.json).data;
  expect(refused).toMatchObject([
    { line: 1, reason: expect.stringContaining('+49 ••••••••12 with its country code') as unknown },
  ]);
});

test('a list that names a notation comes with a file', async () => {
  const acme = await organization();
  const json = {
    name: 'robinson',
    source: 'DDV',
    scrubbed_at: new Date().toISOString(),
    complete: true,
    numbers: 'national',
  };
  const answer = await client.send('POST /api/v1/scrub-lists/import', { key: acme.keys.manager, json });
  expect([answer.status, answer.json]).toMatchObject([422, { detail: [{ loc: ['body', 'numbers'] }] }]);
});

test('the old Mexican 1 is read in imports', async () => {
  const acme = await organization();
  const send = (path: string, json: object) => client.send(path, { key: acme.keys.manager, json });
  const imported = await send('POST /api/v1/suppressions/import', {
    items: [{ phone_number: '+52 1 55 1234 5678' }],
  });
  expect(imported.json).toMatchObject({ data: { added: 1, refused: [] } });
  expect(await send('POST /api/v1/suppressions', { phone_number: '+525512345678' })).toMatchObject({
    json: { data: { source: 'import' } },
  });
});

describe.each([
  ['+5215512345678', '1 after +52', '+52 1 55 1234 5678'],
  ['+4901713920014', '0 after', '+49 (0)171 3920014'],
])('where a number must be E.164, %s', async (phone_number, message) => {
  const acme = await organization();
  const agentId = await acme.agent();
  const given_at = '2026-01-05T09:00:00Z';
  test.each<[string, object]>([
    ['POST /api/v1/suppressions', { phone_number }],
    ['POST /api/v1/campaigns', { name: 'x', agent_id: agentId, phone_numbers: [phone_number] }],
    [`POST /api/v1/agents/${agentId}/call`, { to_phone: phone_number }],
    ['POST /api/v1/consents', { phone_number, basis: 'prior_express', source: 'form', given_at }],
    ['POST /api/v1/erasures', { phone_number }],
  ])('%s says what to leave out', async (path, json) => {
    const answer = await client.send(path, { key: acme.keys.admin, json });
    expect([answer.status, JSON.stringify(answer.json)]).toEqual([422, expect.stringContaining(message)]);
  });
});
