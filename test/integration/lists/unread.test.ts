import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { workbook } from '../../../packages/sheets/src/workbook.fixture.ts';
import { apiWorld } from '../api/api-world.ts';
import { doors, listCommands, sendList } from './doors.ts';

const { client, organization, db } = await apiWorld();
const { db: own, organizationId, run } = await listCommands();
const { campaigns, ...lists } = doors;

const warned = z.object({
  meta: z.object({
    warnings: z.array(z.object({ code: z.string(), loc: z.array(z.unknown()), msg: z.string() })).default([]),
  }),
});

async function sendFile(path: string, file: Buffer, parts: Record<string, string> = {}) {
  const acme = await organization();
  return { ...(await sendList({ client }, acme, { path, parts }, file)), acme };
}

async function warningsOf(path: string, file: Buffer, parts: Record<string, string> = {}) {
  const { status, json } = await sendFile(path, file, parts);
  expect(`${status} ${status === 200 ? '' : JSON.stringify(json)}`).toBe('200 ');
  return warned.parse(json).meta.warnings;
}

async function warningsOfCommand(args: readonly string[], file: Buffer): Promise<string[]> {
  const { status, out, err } = await run([...args, '--json'], file);
  expect({ status, err }).toEqual({ status: 0, err: '' });
  return z.object({ warnings: z.array(z.string()) }).parse(JSON.parse(out)).warnings;
}

describe.each(Object.entries(lists))('an import of %s names what it does not read', (_, door) => {
  const { path, parts, command } = door;
  const [columns, cells] = [Object.keys(door.columns), Object.values(door.columns)];
  const tableOf = (number: string) => [
    ['phone', ...columns, 'Mobile', '', 'Name'],
    [`+1555${number}0`, ...cells, `+1555${number}8`, '', 'Ada'],
    [`+1555${number}1`, ...cells, '', 'x', 'Grace'],
    [`+1555${number}2`, ...cells, '', '', 'Edsger'],
  ];
  const bookOf = (number: string) =>
    workbook(tableOf(number), { hiddenLines: [4], otherSheets: ['Old customers'] });

  test('over REST', async () => {
    const warnings = await warningsOf(path, bookOf('123000'), parts);
    expect(warnings.map(({ code, loc }) => [code, ...loc])).toEqual([
      ['unknown_field', 'body', 'file', 'Mobile'],
      ['unknown_field', 'body', 'file', 'Name'],
      ['unknown_field', 'body', 'file'],
      ['hidden_rows', 'body', 'file'],
      ['unread_sheets', 'body', 'file'],
    ]);
    expect(warnings[0]?.msg).toContain('map this column to phone_number');
    expect(warnings[2]?.msg).toContain('1 rows');
    expect(warnings[4]?.msg).toContain('"Old customers"');
  });

  test('on the command line', async () => {
    const warnings = await warningsOfCommand(command, bookOf('124000'));
    expect(warnings).toHaveLength(5);
    expect(warnings.join('\n')).toMatch(
      /"Mobile"[^]*"Name"[^]*without a name[^]*hides 1 rows[^]*"Old customers"/,
    );
  });

  test('not a column that mapping leaves out; one that is mapped to no field is refused', async () => {
    const csv = Buffer.from(
      [['phone', ...columns, 'x'].join(), ['+15551240000', ...cells, 'y'].join()].join('\n'),
    );
    expect(await warningsOf(path, csv, { ...parts, mapping: '{"x": null}' })).toEqual([]);
    expect(await warningsOfCommand([...command, '--map', 'x='], csv)).toEqual([]);
    const { status, json } = await sendFile(path, csv, { ...parts, mapping: '{"x": "raeson"}' });
    expect([status, JSON.stringify(json)]).toEqual([422, expect.stringContaining('which is no field')]);
    const refused = await run([...command, '--map', 'x=raeson'], csv);
    expect([refused.status, refused.err]).toEqual([1, expect.stringContaining('which is no field')]);
  });
});

test('of two columns that are one field, none is chosen', async () => {
  const csv = Buffer.from('phone,Reason,reason\n+15551230000,a,b\n');
  const { status, json } = await sendFile('suppressions', csv);
  expect([status, JSON.stringify(json)]).toEqual([422, expect.stringContaining('are both reason')]);
  const refused = await run(['suppress', 'import', 'list'], csv);
  expect([refused.status, refused.err]).toEqual([1, expect.stringContaining('are both reason')]);
});

test('an import of a campaign names other sheets and hidden rows, over REST and on the command line', async () => {
  const book = workbook([['phone'], ['+15551230000'], ['+15551230001']], {
    hiddenLines: [3],
    otherSheets: ['May', 'June'],
  });
  const found = (await warningsOf('campaigns', book)).filter(({ loc }) => loc[1] === 'file');
  expect(found.map(({ code }) => code)).toEqual(['hidden_rows', 'unread_sheets']);
  expect(found[1]?.msg).toContain('"May", "June"');
  expect((await warningsOfCommand(campaigns?.command ?? [], book)).join('\n')).toMatch(
    /hides 1 rows[^]*"May", "June"/,
  );
});

const refusedRows = z.object({
  data: z.object({
    rows: z.int(),
    taken: z.int(),
    refused: z.array(z.object({ line: z.int(), reason: z.string() })),
  }),
});

test('an import of a campaign names columns that the sheet hides, and calls none of their numbers unasked', async () => {
  const hidden = { hiddenColumn: 1 };
  const notes = workbook(
    [
      ['Notes', 'phone'],
      ['owes 5', '+15551230000'],
    ],
    hidden,
  );
  const hiddenOf = async (fields = {}) =>
    (await warningsOf('campaigns', notes, fields)).filter(({ code }) => code === 'hidden_columns');
  expect((await hiddenOf()).map(({ msg }) => msg)).toEqual([expect.stringContaining('"Notes"')]);
  expect(await hiddenOf({ mapping: '{"Notes": null}' })).toEqual([]);
  const phones = workbook(
    [
      ['Phone', 'Number'],
      ['+15551230000', '+15551230001'],
    ],
    hidden,
  );
  const { json } = await sendFile('campaigns', phones, { dry_run: 'true' });
  expect(json).toMatchObject({ data: { taken: 1 } });
  const old = workbook(
    [
      ['Phone', 'Mobile'],
      ['+15551230000', '+15551230001'],
    ],
    hidden,
  );
  const { status, json: refusal } = await sendFile('campaigns', old);
  expect([status, JSON.stringify(refusal)]).toEqual([422, expect.stringContaining('that the sheet shows')]);
});

test('a row whose cell is merged with one above is refused if its column is read', async () => {
  const rows = [
    ['phone', 'timezone'],
    ['+15551230000', 'America/New_York'],
    ['+15551230001', ''],
  ];
  const book = workbook(rows, { merged: 'B2:B3' });
  const { json } = await sendFile('campaigns', book, { dry_run: 'true' });
  const reason = expect.stringContaining(
    'has in "timezone" a merged cell, whose value is on line 2',
  ) as unknown;
  const { data } = refusedRows.parse(json);
  expect(data).toEqual({ rows: 2, taken: 1, refused: [{ line: 3, reason }] });
  const { json: taken } = await sendFile('suppressions', book);
  expect(taken).toMatchObject({ data: { rows: 2, added: 2, refused: [] } });
});

test('a complete scrub list with a formula that was not calculated is refused', async () => {
  const book = workbook([['phone'], ['+15551230000'], [{ formula: '"+"&amp;B3' }]]);
  const complete = { ...lists['scrub lists']?.parts, complete: 'true' };
  const { status, json } = await sendFile('scrub-lists', book, complete);
  expect([status, JSON.stringify(json)]).toEqual([422, expect.stringMatching(/3.*result was not saved/)]);
  const suppressed = await sendFile('suppressions', book);
  expect(suppressed.json).toMatchObject({
    data: {
      rows: 2,
      added: 1,
      refused: [{ line: 3, reason: expect.stringContaining('not saved') as unknown }],
    },
  });
});

describe('a suppression that a list repeats', () => {
  const csv = Buffer.from(
    [
      'phone,reason,expires_at',
      '+15551230000,first,2099-01-01T00:00:00Z',
      '+15551230001,other,',
      '+15551230000,second,',
      '+1 555 123 0001,again,2099-01-01T00:00:00Z',
    ].join('\n'),
  );
  const kept = [
    { phone_number: '+15551230000', reason: 'second', expires_at: null },
    { phone_number: '+15551230001', reason: 'other', expires_at: null },
  ];
  const suppressionsOf = (from: typeof db, id: string) =>
    from
      .selectFrom('suppressions')
      .select(['phone_number', 'reason', 'expires_at'])
      .where('organization_id', '=', id)
      .where('phone_number', 'in', ['+15551230000', '+15551230001'])
      .orderBy('phone_number')
      .execute();

  test('is named over REST, and the longest counts', async () => {
    const { json, acme } = await sendFile('suppressions', csv);
    const [warning] = warned.parse(json).meta.warnings;
    expect(warning).toMatchObject({ code: 'repeated_number', loc: ['body', 'file'] });
    expect(warning?.msg).toContain('These lines repeat the number of an earlier one: 4, 5');
    expect(await suppressionsOf(db, acme.id)).toEqual(kept);
  });

  test('is named among items', async () => {
    const acme = await organization();
    const items = [{ phone_number: '+15551230000' }, { phone_number: '+15551230000', reason: 'x' }];
    const { json } = await client.send('POST /api/v1/suppressions/import', {
      key: acme.keys.manager,
      json: { items },
    });
    const [warning] = warned.parse(json).meta.warnings;
    expect(warning).toMatchObject({ code: 'repeated_number', loc: ['body', 'items'] });
    expect(warning?.msg).toContain('These items repeat the number of an earlier one: 2');
  });

  test('is named on the command line, and the longest counts', async () => {
    await own.deleteFrom('suppressions').execute();
    const warnings = await warningsOfCommand(['suppress', 'import', 'list'], csv);
    expect(warnings).toEqual([expect.stringContaining('earlier one: 4, 5')]);
    expect(await suppressionsOf(own, organizationId)).toEqual(kept);
  });
});
