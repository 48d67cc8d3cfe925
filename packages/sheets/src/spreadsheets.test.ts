import { describe, expect, test } from 'vitest';
import { readRows, type TableHeader } from './index.ts';
import type { TableFault } from './table.ts';
import { workbook, zip } from './workbook.fixture.ts';

const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

interface Book {
  /** The XML of the rows below `<row r="1">` with the columns a, b, c … */
  rows: string;
  sheets?: string;
  /** Codes of number formats, for the styles from 1. A number is a built-in format. */
  formats?: ReadonlyArray<string | number>;
  strings?: readonly string[];
  properties?: string;
  columns?: number;
  /** The XML before and after the rows. */
  before?: string;
  after?: string;
}

/** A workbook whose parts have unusual names, and whose relationships have another prefix than `r`. */
function book({
  rows,
  sheets,
  formats = [],
  strings = [],
  properties = '',
  columns = 1,
  before = '',
  after = '',
}: Book): Buffer {
  const head = Array.from({ length: columns }, (_, at) => inline(String.fromCharCode(97 + at))).join('');
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${relations}/${type}" Target="${target}"/>`;
  const custom = formats.map((code, at) => ({ id: typeof code === 'number' ? code : 164 + at, code }));
  return zip([
    ['_rels/.rels', `<Relationships>${relation('a', 'officeDocument', '/XL/Book.xml')}</Relationships>`],
    [
      'xl/book.xml',
      `<x:workbook xmlns:x="m" xmlns:rel="${relations}"><x:workbookPr ${properties}/><x:sheets>${sheets ?? '<x:sheet name="s" sheetId="1" rel:id="shown"/>'}</x:sheets></x:workbook>`,
    ],
    [
      'xl/_rels/book.xml.rels',
      `<Relationships>${relation('chart', 'chartsheet', 'chartsheets/sheet1.xml')}${relation('other', 'worksheet', 'worksheets/other.xml')}${relation('shown', 'worksheet', '/xl/worksheets/Shown.xml')}${relation('t', 'sharedStrings', 'sharedStrings2.xml')}${relation('s', 'styles', 'styles.xml')}</Relationships>`,
    ],
    ['xl/chartsheets/sheet1.xml', '<chartsheet/>'],
    [
      'xl/worksheets/other.xml',
      `<worksheet><sheetData><row>${inline('other')}</row></sheetData></worksheet>`,
    ],
    ['xl/SharedStrings2.xml', `<sst>${strings.map((text) => `<si><t>${text}</t></si>`).join('')}</sst>`],
    [
      'xl/styles.xml',
      `<styleSheet><numFmts>${custom.map(({ id, code }) => (typeof code === 'number' ? '' : `<numFmt numFmtId="${id}" formatCode="${code.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')}"/>`)).join('')}</numFmts><cellStyleXfs><xf numFmtId="9"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>${custom.map(({ id }) => `<xf numFmtId="${id}"/>`).join('')}</cellXfs></styleSheet>`,
    ],
    [
      'xl/worksheets/shown.xml',
      `<worksheet>${before}<sheetData><row r="1">${head}</row>${rows}</sheetData>${after}</worksheet>`,
    ],
  ]);
}

function inline(text: string): string {
  return `<c t="inlineStr"><is><t>${text}</t></is></c>`;
}

async function read(
  bytes: Buffer,
  faults: TableFault[] = [],
  header?: (header: TableHeader) => ReadonlySet<string>,
) {
  async function* chunks() {
    yield bytes;
  }
  const report = (fault: TableFault) => void faults.push(fault);
  return Array.fromAsync(readRows(chunks(), { report, ...(header !== undefined && { header }) }));
}

async function cellsOf(of: Book): Promise<string[][]> {
  return (await read(book(of))).map(({ cells }) => [...cells.values()]);
}

describe('a number is read as the sheet shows it', () => {
  test.each<[string | number, number, string]>([
    ['dd/mm/yyyy', 46_357, '01/12/2026'],
    ['[$-407]d. mmmm yyyy', 46_357, '1. Dezember 2026'],
    ['yyyy-mm-dd hh:mm', 46_357.4375, '2026-12-01 10:30'],
    // In the format of the reader's country, which could be read as January.
    [14, 46_357, '2026-12-01'],
    [22, 46_357.4375, '2026-12-01 10:30'],
    // Dates and times of East Asia and Thailand.
    [27, 46_357, '2026-12-01'],
    [31, 46_357.4375, '2026-12-01 10:30'],
    [32, 0.4375, '10:30:00'],
    [57, 46_357, '2026-12-01'],
    [58, 0.4375, '10:30:00'],
    [71, 46_357, '2026-12-01'],
    [20, 0.4375, '10:30'],
    ['h:mm AM/PM', 0.4375, '10:30 AM'],
    ['[h]:mm', 1.5, '36:00'],
    [9, 0.25, '25%'],
    ['0.0%', 0.255, '25.5%'],
    ['#,##0.00 "€"', 1_234.5, '1,234.50 €'],
    ['00000', 1_234, '01234'],
    ['+0', 491_713_920_012, '+491713920012'],
    ['[<=9999999]###-####;(###) ###-####', 4_155_552_671, '(415) 555-2671'],
    ['General', 0.1 + 0.2, '0.3'],
    // Digits of a phone number are never rounded away.
    ['General', 491_713_920_012, '491713920012'],
    [11, 491_713_920_012, '491713920012'],
    [49, 491_713_920_012, '491713920012'],
    ['an invalid [code', 5, '5'],
  ])('%s of %d', async (format, value, shown) => {
    const rows = `<row r="2"><c s="1"><v>${value}</v></c></row>`;
    expect(await cellsOf({ rows, formats: [format] })).toEqual([[shown]]);
  });

  test('in a workbook that counts from 1904; a duration has no first day', async () => {
    const rows = '<row r="2"><c s="1"><v>44895</v></c><c s="2"><v>1.5</v></c></row>';
    const of = { rows, formats: ['dd/mm/yyyy', '[h]:mm'], columns: 2 };
    expect(await cellsOf({ ...of, properties: 'date1904="1"' })).toEqual([['01/12/2026', '36:00']]);
  });

  test('a date in ISO 8601 too, and text with a format of its own', async () => {
    const rows = `<row r="2"><c t="d" s="1"><v>2026-12-01T10:30:00</v></c><c t="str" s="2"><v>Ada</v></c></row>`;
    expect(await cellsOf({ rows, formats: ['dd/mm/yyyy hh:mm', '"Dr. "@'], columns: 2 })).toEqual([
      ['01/12/2026 10:30', 'Dr. Ada'],
    ]);
  });
});

test('characters that XML cannot hold are decoded, errors are empty', async () => {
  const texts = ['One_x000D_', '_x005F_x000D_', '#N/A'];
  const shared = texts.map((_, at) => `<c t="s"><v>${at}</v></c>`).join('');
  const rows = `<row r="2">${inline('x')}${shared}<c t="e"><v>#N/A</v></c>${inline('One_x000D_')}</row>`;
  expect(await cellsOf({ rows, strings: texts, columns: 6 })).toEqual([
    ['x', 'One', '_x000D_', '', '', 'One'],
  ]);
});

test('a text that an export wraps in a formula is the text', async () => {
  const text = 'phone,name\n="+15550100001",="Ada"\n"=""0171 2""",="a" & "b"\n';
  const rows = await read(Buffer.from(text));
  expect(rows.map(({ cells }) => [...cells.values()])).toEqual([
    ['+15550100001', 'Ada'],
    ['0171 2', '="a" & "b"'],
  ]);
});

test('cells that refer to one long text are no way to fill the memory', async () => {
  const note = '\u200B' + 'a'.repeat(30_000);
  const row = (cells: number) => ['phone', ...Array.from({ length: cells }, () => note)];
  const names = ['phone', 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'];
  await expect(read(workbook([names, row(8)]))).resolves.toHaveLength(1);
  await expect(read(workbook([names, row(9)]))).rejects.toThrow('too much text');
});

test('errors of formulas are empty in any language, in text and in CSV too', async () => {
  const errors = [
    '#N/A',
    '#NV',
    '#DIV/0!',
    '#REF!',
    '#NAME?',
    '#WERT!',
    '#SPILL!',
    '#GETTING_DATA',
    '#ÜBERLAUF!',
    '#N/D',
    '#¡VALOR!',
    '#¿NOMBRE?',
    '#Н/Д',
    '#DZIEL/0!',
    'Err:502',
    '########',
  ];
  const csv = [['a', ...errors.keys()].join(), ['x', ...errors].join(), 'y,#1 in town,# 5,#VIP'].join('\n');
  const [first, second] = (await read(Buffer.from(csv))).map(({ cells }) => [...cells.values()]);
  expect(first).toEqual(['x', ...errors.map(() => '')]);
  expect(second?.slice(0, 4)).toEqual(['y', '#1 in town', '# 5', '#VIP']);
  const rows = `<row r="2">${['x', ...errors].map(inline).join('')}</row>`;
  expect(await cellsOf({ rows, columns: errors.length + 1 })).toEqual([['x', ...errors.map(() => '')]]);
});

test.each([
  ['CSV', Buffer.from('a,b\n#N/A,\nx,#N/A\n ,\n#WERT!,#NV\n')],
  [
    'XLSX',
    book({
      columns: 2,
      rows: ['<c t="e"><v>#N/A</v></c>', `${inline('x')}${inline('#N/A')}`, inline(' '), inline('#NV')]
        .map((cells) => `<row>${cells}</row>`)
        .join(''),
    }),
  ],
])('a row of nothing but errors of formulas is refused and not taken for blank: %s', async (_kind, bytes) => {
  const faults: TableFault[] = [];
  expect((await read(bytes, faults)).map(({ line }) => line)).toEqual([3]);
  const message = 'has only errors of formulas';
  expect(faults).toEqual([
    { line: 2, message },
    { line: 5, message },
  ]);
});

describe('a cell whose text the file does not have', () => {
  const formula = '<c><f>"+"&amp;B2</f></c>';
  const rows = [
    formula,
    `${inline('x')}<c><f>A2</f><v/></c>`,
    `${inline('y')}<c t="str"><f>A2</f><v></v></c>`,
    `${inline('z')}<c><f>1+1</f><v>2</v></c>`,
    // Below a cell of two rows.
    inline('Ada') + inline('DE'),
    inline('Grace'),
    inline('Edsger'),
    '<c/><c/>',
  ];
  const merged =
    '<mergeCells><mergeCell ref="B6:B7"/><mergeCell ref="B8:B9"/><mergeCell ref="A1:B1"/></mergeCells>';
  const bytes = book({
    columns: 2,
    rows: rows.map((cells, at) => `<row r="${at + 2}">${cells}</row>`).join(''),
    after: merged,
  });
  const unsaved = 'a formula whose result was not saved: open the file in a spreadsheet program and save it';
  const ofLine6 = 'a merged cell, whose value is on line 6: write it in each row';

  test('refuses its row: a formula that no program has calculated, a merged cell', async () => {
    const faults: TableFault[] = [];
    const read4 = (await read(bytes, faults)).map(({ line, cells }) => [line, ...cells.values()]);
    expect(read4).toEqual([
      [4, 'y', ''],
      [5, 'z', '2'],
      [6, 'Ada', 'DE'],
      [8, 'Edsger', ''],
    ]);
    expect(faults).toEqual([
      { line: 2, message: `has in "a" ${unsaved}` },
      { line: 3, message: `has in "b" ${unsaved}` },
      { line: 7, message: `has in "b" ${ofLine6}` },
    ]);
  });

  test('refuses it only if its column is read, or if it has nothing else', async () => {
    const faults: TableFault[] = [];
    const lines = (await read(bytes, faults, () => new Set(['a']))).map(({ line }) => line);
    expect(lines).toEqual([3, 4, 5, 6, 7, 8]);
    await read(bytes, faults, () => new Set());
    const [one, two] = [`has in "a" ${unsaved}`, `has ${unsaved}`];
    expect(faults).toEqual([one, two].map((message) => ({ line: 2, message })));
  });

  test('refuses the file if it would name a column', async () => {
    const first = book({ columns: 0, rows: `<row r="2">${inline('a')}${formula}</row>` });
    await expect(read(first)).rejects.toThrow(`the first line has ${unsaved}`);
  });
});

test('the header names the columns that the sheet hides', async () => {
  const before =
    '<cols><col min="2" max="2" width="9" hidden="1"/><col min="3" max="3" width="9"/><col width="0" max="16384" min="4"/></cols>';
  const headers: TableHeader[] = [];
  await read(book({ columns: 4, rows: '', before }), [], (header) => {
    headers.push(header);
    return new Set();
  });
  expect(headers[0]?.hiddenColumns).toEqual(['b', 'd']);
  const twice = book({
    columns: 0,
    rows: `<row>${inline('a')}${inline('a')}</row>`,
    before: '<col min="1" max="1" hidden="1"/>',
  });
  await expect(read(twice)).rejects.toThrow('column a twice, in columns of which the sheet hides one');
});

test.each([
  [
    'an old Excel file',
    Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(600)]),
    'old Excel file (.xls)',
  ],
  ['XLSB', zip([['xl/workbook.bin', 'x']]), 'such as ODS and XLSB'],
  ['ODS', zip([['content.xml', '<x/>']]), 'such as ODS and XLSB'],
])('%s is refused with what to do', async (_name, bytes, message) => {
  await expect(read(bytes)).rejects.toThrow(message);
});

test.each([
  ['hidden', '<x:sheet name="h" sheetId="1" state="hidden" rel:id="other"/>'],
  ['very hidden', '<x:sheet name="v" sheetId="1" state="veryHidden" rel:id="other"/>'],
  ['a chart', '<x:sheet name="c" sheetId="1" rel:id="chart"/>'],
])('the first visible worksheet is read if the first sheet is %s', async (_name, first) => {
  const sheets = `${first}<x:sheet name="s" sheetId="2" rel:id="shown"/>`;
  expect(await cellsOf({ rows: `<row r="2">${inline('x')}</row>`, sheets })).toEqual([['x']]);
});

test('a workbook without a visible worksheet is refused', async () => {
  const sheets = '<x:sheet name="h" sheetId="1" state="hidden" rel:id="other"/>';
  await expect(read(book({ rows: '', sheets }))).rejects.toThrow('no visible sheet');
});

test('rows that a filter hides are marked', async () => {
  const rows = `<row r="2" hidden="1">${inline('x')}</row><row r="3">${inline('y')}</row><row r="4" ht="0">${inline('z')}</row>`;
  expect((await read(book({ rows }))).map(({ line, isHidden }) => [line, isHidden])).toEqual([
    [2, true],
    [3, undefined],
    [4, true],
  ]);
});

test('an archive with two parts of one name is refused, because programs would read different ones', async () => {
  const parts = [
    ['xl/worksheets/sheet1.xml', '<worksheet/>'],
    ['xl/Worksheets/sheet1.xml', '<worksheet/>'],
  ] as const;
  await expect(read(zip(parts))).rejects.toThrow('two parts of one name');
});
