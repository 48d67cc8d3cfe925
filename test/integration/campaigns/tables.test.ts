import { randomUUID } from 'node:crypto';
import { importedCampaign } from '@outdial/contracts';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { workbook } from '../../../packages/sheets/src/workbook.fixture.ts';
import { apiWorld } from '../api/api-world.ts';
import { createPaused, numbers } from './campaign-requests.ts';

const { client, organization } = await apiWorld();
const acme = await organization();
const agentId = await acme.agent();
const { viewer, member, manager } = acme.keys;

interface Form {
  file?: string | Buffer;
  campaign?: string | object | undefined;
  mapping?: string | object;
  country?: string;
  dry_run?: string;
  [part: string]: unknown;
}

const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

function send({ file, ...parts }: Form, headers: Record<string, string> = {}, key = manager) {
  const form = new FormData();
  if (file !== undefined) form.set('file', new Blob([new Uint8Array(Buffer.from(file))]), 'people');
  const campaign = { name: 'Spring', agent_id: agentId };
  for (const [name, value] of Object.entries({ campaign, ...parts })) {
    if (value !== undefined) form.set(name, text(value));
  }
  return client.send('POST /api/v1/campaigns/import', { key, body: form, headers });
}

const imported = z.object({ data: importedCampaign });

async function importTable(form: Form) {
  const answer = await send(form);
  expect(`${answer.status} ${answer.status === 200 ? '' : answer.bytes.toString()}`).toBe('200 ');
  return imported.parse(answer.json).data;
}

const broken = [
  'Telefon;Vorname;timezone',
  '+15550100201;Ada;Europe/London',
  '020 7946 0958;Bob;',
  'call me;Cleo;',
  '+15550100201;Ada again;',
  '+15550100202;Dora;Mars/Olympus',
  '+15550100203;Emil;;surplus',
].join('\n');

const hidesTwo: unknown = expect.arrayContaining([
  { code: 'hidden_rows', loc: ['body', 'file'], msg: expect.stringContaining('hides 2 rows') as unknown },
]);
const isHidden: unknown = expect.stringMatching(/^is hidden in the sheet/);

describe('import', () => {
  test('takes the rows that it can, and names every other with line, column, value and reason', async () => {
    const form = { file: broken, mapping: { Telefon: 'phone_number', Vorname: 'name' } };
    const dry = await importTable({ ...form, dry_run: 'true' });
    expect(dry).toMatchObject({ campaign: null, dry_run: true, rows: 6, taken: 1 });
    expect(dry.refused.map(({ line, column, value }) => [line, column, value])).toEqual([
      [3, 'Telefon', '••• •••• ••58'],
      [4, 'Telefon', '•••• me'],
      [5, 'Telefon', '+•••••••••01'],
      [6, 'timezone', 'Mars/Olympus'],
      [7, null, null],
    ]);
    expect(dry.refused.filter(({ reason }) => !/^(has|repeats) /.test(reason))).toEqual([]);
    const real = await importTable({ ...form, country: 'GB' });
    expect(real).toMatchObject({ dry_run: false, taken: 2, campaign: { name: 'Spring', status: 'draft' } });
    const read = await client.send(`GET /api/v1/campaigns/${real.campaign?.id ?? ''}`, { key: viewer });
    expect(read.json).toMatchObject({
      data: {
        phone_numbers: ['+15550100201', '+442079460958'],
        additional_params: {
          recipients: {
            '+15550100201': { prompt_params: { name: 'Ada' }, timezone: 'Europe/London' },
            '+442079460958': { prompt_params: { name: 'Bob' } },
          },
        },
      },
    });
  });

  test('cuts a refused value between two characters, so that the answer can be stored', async () => {
    const rows = [`${'x'.repeat(31)}😀,`, `+15550100201,${'x'.repeat(63)}😀`, '+15550100202,'];
    const file = ['phone,timezone', ...rows].join('\n');
    const answer = await send({ file }, { 'Idempotency-Key': randomUUID() });
    const { refused } = imported.parse(answer.json).data;
    expect(refused.map(({ value }) => value?.isWellFormed())).toEqual([true, true]);
  });

  test('a preview shows a file whose column of numbers is not clear, without a campaign', async () => {
    const file = [
      'Mobile;Fax;name;zone',
      '+15550100211;+15550100212;Ada;UTC',
      '+15550100213;;"Bob" Ross;UTC',
      '+1555;;Cleo;',
    ].join('\n');
    const asked = { file, campaign: undefined, dry_run: 'true', preview: 'true' };
    const unclear = await send(asked);
    const columns = [
      { name: 'Mobile', empty: 0, values: expect.arrayContaining([{ value: '+1555', rows: 1 }]) as unknown },
      { name: 'Fax', empty: 1, values: [{ value: '+15550100212', rows: 1 }] },
      { name: 'name', empty: 0, values: expect.any(Array) as unknown },
      { name: 'zone', empty: 1, values: [{ value: 'UTC', rows: 1 }] },
    ];
    const last = { line: 4, cells: ['+1555', '', 'Cleo', ''] };
    expect(unclear.json).toMatchObject({
      data: { campaign: null, dry_run: true, rows: 3, taken: 0, refused: [] },
      meta: { warnings: [{ code: 'would_be_refused', loc: ['body', 'file'] }] },
    });
    expect(imported.parse(unclear.json).data.preview).toMatchObject({ columns, refused: [] });

    const mapped = await importTable({ ...asked, mapping: { Mobile: 'phone_number' } });
    expect(mapped).toMatchObject({
      rows: 3,
      taken: 1,
      refused: [{ line: 3 }, { line: 4 }],
      preview: {
        columns,
        rows: [{ line: 2, cells: ['+15550100211', '+15550100212', 'Ada', 'UTC'] }, last],
        refused: [last],
      },
    });
    expect((await send({ ...asked, dry_run: 'false' })).json).toMatchObject({
      detail: [{ loc: ['body', 'preview'] }],
    });
    expect((await send({ ...asked, preview: 'false' })).json).toMatchObject({
      detail: [{ loc: ['body', 'campaign'], type: 'missing' }],
    });
    expect((await send({ ...asked, file: Buffer.from('PK\u0003\u0004 no workbook') })).status).toBe(422);
  });

  test('a form with a part twice is refused, since one of them would be lost', async () => {
    const form = new FormData();
    form.set('file', new Blob(['phone\n+15550100220']), 'people');
    for (const status of ['draft', 'running']) {
      form.append('campaign', JSON.stringify({ name: 'Spring', agent_id: agentId, status }));
    }
    const answer = await client.send('POST /api/v1/campaigns/import', { key: manager, body: form });
    expect([answer.status, answer.json]).toMatchObject([400, { code: 'malformed_form' }]);
  });

  test('a preview of many rows shows the first, and counts all', async () => {
    const rows = Array.from(
      { length: 3_000 },
      (_, at) => `+1555${1_000_000 + at},${at % 2 === 0 ? '' : 'x'}`,
    );
    const file = ['phone,topic', ...rows].join('\n');
    const { preview, taken } = await importTable({ file, dry_run: 'true', preview: 'true' });
    expect([taken, preview?.rows.length, preview?.refused]).toEqual([3_000, 100, []]);
    expect(preview?.columns).toEqual([
      { name: 'phone', hidden: false, empty: 0, values: null },
      { name: 'topic', hidden: false, empty: 1_500, values: [{ value: 'x', rows: 1_500 }] },
    ]);
  });

  test('reads XLSX, and leaves out the columns that mapping says', async () => {
    const file = workbook([
      ['phone', 'name', 'secret'],
      [15_550_100_204, 'Ada', 'x'],
    ]);
    const { taken, refused } = await importTable({ file, dry_run: 'true' });
    expect([taken, refused[0]?.reason]).toEqual([0, expect.stringContaining('without a country code')]);
    const real = await importTable({ file, country: 'US', mapping: { secret: null } });
    const listed = await client.send(`GET /api/v1/campaigns/${real.campaign?.id ?? ''}/recipients`, {
      key: viewer,
    });
    expect(listed.json).toMatchObject({
      data: { items: [{ phone_number: '+15550100204', prompt_params: { name: 'Ada' } }] },
    });
  });

  test('does not call people in rows that a filter hides, and says so', async () => {
    const rows = [['phone'], ['+15550100208'], ['+15550100209'], ['+15550100210']];
    const file = workbook(rows, { hiddenLines: [2, 4] });
    const answer = await send({ file, dry_run: 'true' });
    expect(answer.json).toMatchObject({
      meta: { warnings: hidesTwo },
      data: {
        rows: 3,
        taken: 1,
        refused: [
          { line: 2, reason: isHidden },
          { line: 4, reason: isHidden },
        ],
      },
    });
  });

  test('happens once for an Idempotency-Key, and another file is another request', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const first = await send({ file: 'phone\n+15550100205\n' }, headers);
    const second = await send({ file: 'phone\n+15550100205\n' }, headers);
    expect(second.json).toEqual(first.json);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect((await send({ file: 'phone\n+15550100206\n' }, headers)).status).toBe(409);
  });

  const good = 'phone\n+15550100207\n';
  test.each<[string, Form, string]>([
    ['no file', {}, 'file'],
    ['an empty file', { file: '' }, 'file'],
    ['no column of numbers', { file: 'name\nAda\n' }, 'file'],
    ['no number that can be called', { file: 'phone\nme\n' }, 'file'],
    ['a damaged workbook', { file: 'PK\u0003\u0004nothing' }, 'file'],
    ['a campaign that is not JSON', { file: good, campaign: 'Spring' }, 'campaign'],
    ['a campaign without an agent', { file: good, campaign: { name: 'Spring' } }, 'campaign'],
    ['a mapping that is not JSON', { file: good, mapping: 'phone' }, 'mapping'],
    [
      'a mapping of a column that does not exist',
      { file: good, mapping: { Tel: 'phone_number' } },
      'mapping',
    ],
    ['an invalid country', { file: good, country: 'Germany' }, 'country'],
    ['a code of no country', { file: good, country: 'UK' }, 'country'],
    ['an unknown part', { file: good, dryRun: 'true' }, 'dryRun'],
  ])('%s is 422', async (_what, form, field) => {
    const answer = await send(form);
    expect(answer.status).toBe(422);
    const { detail } = z
      .object({ detail: z.array(z.object({ loc: z.array(z.unknown()) })) })
      .parse(answer.json);
    expect(detail[0]?.loc.slice(0, 2)).toEqual(['body', field]);
  });

  test.each<[string, Form]>([
    [
      'campaign',
      { campaign: `{"name":"Spring","agent_id":"${agentId}","status":"draft","status":"running"}` },
    ],
    ['mapping', { mapping: '{"name":null,"name":"first_name"}' }],
  ])('a name twice in %s is 400', async (_part, form) => {
    const answer = await send({ file: good, ...form });
    expect([answer.status, answer.json]).toMatchObject([400, { code: 'repeated_json_name' }]);
  });

  test('to run at once needs a manager; an agent of another organization is 404', async () => {
    const campaign = { name: 'Spring', agent_id: agentId, status: 'running' };
    expect((await send({ file: good, campaign }, {}, member)).status).toBe(403);
    expect((await send({ file: good, campaign: { name: 'x', agent_id: randomUUID() } })).status).toBe(404);
  });
});

describe('export', () => {
  const exported = (id: string, query: string) =>
    client.send(`GET /api/v1/campaigns/${id}/export?${query}`, { key: member });

  test('has every recipient, page after page', async () => {
    const many = Array.from({ length: 2_300 }, (_, at) => `+1555020${String(at).padStart(4, '0')}`);
    const { id } = await createPaused(client, acme, {
      phone_numbers: many,
      additional_params: { recipients: { [many[0] ?? '']: { prompt_params: { name: '=HYPERLINK("x")' } } } },
    });
    const ndjson = await exported(id, 'of=recipients&format=ndjson');
    expect(ndjson.headers.get('content-type')).toContain('application/x-ndjson');
    const rows = ndjson.bytes.toString().trimEnd().split('\n');
    const numberOf = (line: string) =>
      z.object({ phone_number: z.string() }).parse(JSON.parse(line)).phone_number;
    expect(rows.map(numberOf).toSorted()).toEqual(many);

    const csv = (await exported(id, '')).bytes.toString().trimEnd().split('\n');
    expect(csv[0]).toBe(
      'id,phone_number,state,attempts,round,last_outcome,last_call_id,next_attempt_at,waiting_for,timezone,prompt_params',
    );
    expect(csv).toHaveLength(many.length + 1);
    expect(csv.find((line) => line.includes(many[0] ?? ''))).toContain(`,${many[0]},`);
  });

  test('is for members and above, and every answer with more than a page of people is in the audit log', async () => {
    const house = await organization();
    const make = (count: number) =>
      createPaused(client, house, {
        phone_numbers: Array.from({ length: count }, (_, at) => `+1555021${String(at).padStart(4, '0')}`),
      });
    const [long, short] = [await make(1_001), await make(1_000)];
    const read = (path: string, key: string) => client.send(`GET /api/v1/campaigns${path}`, { key });
    expect((await read(`/${long.id}/export`, house.keys.viewer)).status).toBe(403);
    for (const path of [
      `/${short.id}`,
      `/${long.id}?fields=summary`,
      '?fields=summary',
      `/${long.id}/recipients?limit=1000`,
    ]) {
      expect((await read(path, house.keys.viewer)).status).toBe(200);
    }
    const bulk = [`/${long.id}`, '', `/${short.id}/export?of=calls&format=ndjson`];
    const roles = ['viewer', 'viewer', 'member'] as const;
    for (const [at, path] of bulk.entries()) {
      expect((await read(path, house.keys[roles[at] ?? 'member'])).status).toBe(200);
    }
    const log = await client.send('GET /api/v1/audit-log?limit=1000', { key: house.keys.admin });
    const entries = z
      .object({
        data: z.object({
          items: z.array(
            z.object({
              action: z.string(),
              target: z.looseObject({ id: z.string().nullable() }).nullable(),
              changes: z.unknown(),
            }),
          ),
        }),
      })
      .parse(log.json).data.items;
    const reads = entries.filter(({ action }) => !action.startsWith('create'));
    expect(reads.map(({ action, target, changes }) => [action, target?.id, changes]).toReversed()).toEqual([
      ['readCampaign', long.id, { people: { before: null, after: 1_001 } }],
      ['listCampaigns', 'page 1', { people: { before: null, after: 2_001 } }],
      [
        'exportCampaign',
        short.id,
        { of: { before: null, after: 'calls' }, format: { before: null, after: 'ndjson' } },
      ],
    ]);
  });

  test('as CSV begins with a byte order mark if asked', async () => {
    const { id } = await createPaused(client, acme);
    expect((await exported(id, 'bom=true')).bytes.toString().startsWith('\uFEFFid,')).toBe(true);
    expect((await exported(id, 'of=calls&bom=true')).bytes.toString().startsWith('\uFEFFid,')).toBe(true);
    expect((await exported(id, 'bom=true&format=ndjson')).bytes.toString().startsWith('{')).toBe(true);
  });

  test('has the calls, or only the header', async () => {
    const { id } = await createPaused(client, acme, { phone_numbers: numbers });
    const csv = (await exported(id, 'of=calls')).bytes.toString();
    expect(csv.startsWith('id,agent_id,')).toBe(true);
    expect(csv.trimEnd().split('\n')).toHaveLength(1);
    expect((await exported(id, 'of=calls&format=ndjson')).bytes.toString()).toBe('');
  });

  test.each(['of=people', 'format=xls', 'campaign=1'])('?%s is 422', async (query) => {
    const { id } = await createPaused(client, acme);
    expect((await exported(id, query)).status).toBe(422);
  });
});
