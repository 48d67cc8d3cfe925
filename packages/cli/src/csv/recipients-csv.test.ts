import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { parseRecipientsCsv } from './recipients-csv.ts';

// vitest types its matchers as `any`.
const containing = (text: string): unknown => expect.stringContaining(text);

function parse(text: string, options?: Parameters<typeof parseRecipientsCsv>[1]) {
  return parseRecipientsCsv(Readable.from([Buffer.from(text)]), options);
}

describe('parseRecipientsCsv', () => {
  test('takes the number, the zone, and every other column as a value for the prompt', async () => {
    const read = await parse(
      '\uFEFFName,Phone,timezone,city\r\n"Doe, ""J"" John",+1 555-123-0001,Europe/Berlin,\r\n Ann ,+15551230002,,Rome\r\n',
    );
    expect(read).toEqual({
      recipients: new Map([
        ['+15551230001', { timezone: 'Europe/Berlin', promptParams: { Name: 'Doe, "J" John' } }],
        ['+15551230002', { timezone: null, promptParams: { Name: 'Ann', city: 'Rome' } }],
      ]),
      faults: [],
      warnings: [],
      unusedPlaces: [],
    });
  });

  test.each(['time zone', 'Time_Zone', 'TZ', 'tz '])('a column named %j is warned of', async (name) => {
    const { warnings, recipients } = await parse(`phone,${name}\n+15551230001,America/Chicago\n`);
    expect(recipients.get('+15551230001')).toMatchObject({ timezone: null });
    expect(warnings).toEqual([containing('rename it to timezone, or answer with --map')]);
  });

  test('reports malformed rows by line and leaves them out', async () => {
    const read = await parse(
      [
        'phone,name,timezone',
        '+15551230001,Ann,',
        'call me,Bob,',
        '',
        '+15551230001,Again,',
        '+15551230002,Short,,surplus',
        ',Nobody,',
        '+15551230003,Zone,Mars/Olympus',
        '+15551230004,"ab"c,',
        '+15551230005,Last,',
      ].join('\n'),
    );
    expect([...read.recipients.keys()]).toEqual(['+15551230001', '+15551230005']);
    expect(read.faults).toEqual([
      { line: 3, message: 'has an invalid phone number; write it like +15550100123 ("•••• me")' },
      { line: 5, message: 'repeats the phone number of line 2' },
      { line: 6, message: 'has 4 columns instead of 3' },
      { line: 7, message: 'has no phone number' },
      { line: 8, message: 'has an unknown time zone: Mars/Olympus' },
      { line: 9, message: containing('quotation mark') },
    ]);
  });

  test('a national number needs its country', async () => {
    const { recipients } = await parse('to\n0171 1234567\n', { country: 'de' });
    expect([...recipients.keys()]).toEqual(['+491711234567']);
    expect((await parse('to\n0171 1234567\n')).faults).toEqual([
      { line: 2, message: containing('without a country code') },
    ]);
  });

  test.each([
    ['(212) 555-0123', undefined],
    ['(212) 555-0123', 'US'],
    ['(212) 555-0123 ext. 5', 'US'],
    ['+1 212 555 0123 444', undefined],
    ['034567', 'de'],
  ])('the first person of a file without names stays private: %j of %s', async (number, country) => {
    const read = parse(`Ada,${number}\nBob,${number}4\n`, country === undefined ? {} : { country });
    await expect(read).rejects.toThrow(
      'the first line has no column phone, phone_number, to, to_phone, number; it has a phone number: put a line with the names of the columns above it',
    );
  });

  test.each([
    ['', 'empty'],
    ['name,city\nAnn,Rome\n', 'no column phone'],
    ['phone,name,name\n+15551230001,a,b\n', 'names the column name twice'],
    ['Ann,(212) 555-0123,(212) 555-0123\nBob,1,2\n', 'has the same phone number twice'],
  ])('%j is refused as a whole', async (text, message) => {
    await expect(parse(text)).rejects.toThrow(message);
  });

  test('places count under their own names and by a mapping; others are asked about', async () => {
    const text = 'Phone,First name,State,ZIP\n+12125550100,Ada,CA,94105\n+12125550101,Grace,NY,10001-1234\n';
    expect(await parse(text)).toMatchObject({
      unusedPlaces: ['State', 'ZIP'],
      warnings: [containing('--map "State=region"'), containing('--map "ZIP=postal_code"')],
    });
    const read = await parse(text, { map: { State: 'region', ZIP: 'postal_code', 'First name': 'name' } });
    expect(read).toMatchObject({ unusedPlaces: [], warnings: [], faults: [] });
    expect(read.recipients.get('+12125550100')).toEqual({
      timezone: null,
      region: 'US-CA',
      postalCode: '94105',
      promptParams: { name: 'Ada' },
    });
    const asValues = await parse(text, { map: { State: 'prompt_params.State', ZIP: null } });
    expect(asValues).toMatchObject({ unusedPlaces: [], warnings: [] });
    expect(asValues.recipients.get('+12125550100')?.promptParams).toEqual({
      'First name': 'Ada',
      State: 'CA',
    });
  });

  test('a place that cannot be, or may be two, leaves its row out', async () => {
    const text = [
      'phone,region,postal_code',
      '+12125550100,CA,',
      '+12125550101,US-CA,10001',
      '+12125550102,EMEA,',
      '+4930123456,de,',
      '+12125550103,,99',
      '+12125550104,ny,10001',
    ].join('\n');
    const { faults, recipients } = await parse(text);
    expect(faults.map(({ line }) => line)).toEqual([2, 3, 4, 6]);
    expect(faults[0]?.message).toContain('may be the state US-CA or the country CA');
    expect(recipients.get('+4930123456')).toMatchObject({ region: 'DE' });
    expect(recipients.get('+12125550104')).toMatchObject({ region: 'US-NY' });
  });

  test('two columns that may have the numbers are asked about, and one of them is named with --map', async () => {
    const text = 'Number,Mobile\n1000231,+15551230000\n';
    await expect(parse(text)).rejects.toThrow('name one with --map, such as --map "Mobile=phone_number"');
    expect([...(await parse(text, { map: { Mobile: 'phone_number' } })).recipients.keys()]).toEqual([
      '+15551230000',
    ]);
  });
});
