import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { readRows, TableError, type TableFault } from './index.ts';
import { workbook, zip } from './workbook.fixture.ts';

async function* chunksOf(bytes: Buffer, size = 7): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(bytes: Buffer | string, size?: number) {
  const faults: TableFault[] = [];
  const rows: Array<{ line: number; cells: object }> = [];
  const report = (fault: TableFault) => void faults.push(fault);
  for await (const { line, cells } of readRows(chunksOf(Buffer.from(bytes), size), { report })) {
    rows.push({ line, cells: Object.fromEntries(cells) });
  }
  return { rows, faults };
}

describe('CSV', () => {
  test.each([',', ';', '\t'])('with %j between its cells', async (delimiter) => {
    const text = `phone;name\n+15550100123;"Doe; Jane, ""JJ"""\n`.replaceAll(/;(?! Jane)/g, delimiter);
    expect((await read(text)).rows).toEqual([
      { line: 2, cells: { phone: '+15550100123', name: 'Doe; Jane, "JJ"' } },
    ]);
  });

  test('in another encoding than UTF-8 is refused, since names would become other names', async () => {
    await expect(read(Buffer.from('phone,name\n1,J\u00fcrgen\n', 'latin1'))).rejects.toThrow('CSV UTF-8');
  });

  test('with too many cells in nearly every row is refused, and its faults do not fill the memory', async () => {
    const faults: TableFault[] = [];
    const bytes = Buffer.from(`phone\n${'a,b\n'.repeat(20_000)}`);
    const reading = Array.fromAsync(
      readRows(chunksOf(bytes, 65_536), { report: (fault) => void faults.push(fault) }),
    );
    await expect(reading).rejects.toThrow('more than 10000 rows are malformed');
    expect(faults).toHaveLength(10_000);
  });

  test('with a quotation mark that is never closed does not fill the memory', async () => {
    const { rows, faults } = await read(`phone,name\n1,"${'x'.repeat(600_000)}\n`, 65_536).catch(
      (error: unknown) => ({ rows: [], faults: [error] }),
    );
    expect(rows).toEqual([]);
    expect(faults.length).toBeGreaterThan(0);
  });
});

test.each([
  ['the first line', `${','.repeat(5_000_000)}\n1,2\n`, 'a line has more than 1000 columns'],
  ['another line', `phone,name\n${','.repeat(5_000_000)}\n`, 'a line has more than 1000 columns'],
])('%s with millions of commas is refused before its cells are made', async (_name, text, message) => {
  let taken = 0;
  async function* counted(): AsyncGenerator<Buffer> {
    for await (const chunk of chunksOf(Buffer.from(text), 10_000)) {
      taken += 1;
      yield chunk;
    }
  }
  await expect(Array.fromAsync(readRows(counted(), { report: () => undefined }))).rejects.toThrow(message);
  // Of 500: the stream reads ahead.
  expect(taken).toBeLessThan(100);
});

test('yields to other work while it reads short rows', async () => {
  let turns = 0;
  let isOver = false;
  const turn = () => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await read(`a\n${'x\n'.repeat(50_000)}`, 1_000_000);
  isOver = true;
  expect(turns).toBeGreaterThanOrEqual(40);
});

test('a row with NUL is left out', async () => {
  expect(await read('phone,name\n1,a\u0000b\n2,Ada\n')).toEqual({
    rows: [{ line: 3, cells: { phone: '2', name: 'Ada' } }],
    faults: [{ line: 2, message: 'has a character that is not text' }],
  });
});

test.each([
  ['a name with NUL', 'phone,na\u0000me\n', 'not text'],
  [
    'forty thousand columns',
    Array.from({ length: 40_000 }, (_, at) => `c${at}`).join(','),
    'more than 1000 columns',
  ],
])('a first line with %s is refused at once', async (_name, text, message) => {
  const before = process.threadCpuUsage();
  await expect(read(text, 65_536)).rejects.toThrow(message);
  const { user, system } = process.threadCpuUsage(before);
  // Microseconds of processor time, which a busy machine changes little. A quadratic check of 40,000 columns would take far more.
  expect(user + system).toBeLessThan(1_000_000);
});

describe('XLSX', () => {
  test('that is compressed more than any sheet is refused before it is unpacked', async () => {
    const sheet = `<worksheet><sheetData>${'<row/>'.repeat(1_000_000)}</sheetData></worksheet>`;
    await expect(read(zip([['xl/worksheets/sheet1.xml', sheet]]), 65_536)).rejects.toThrow(
      'compressed more than 100 times',
    );
  });

  test('uses the line numbers of its rows if they are valid', async () => {
    const sheet =
      '<worksheet><sheetData><row r="1"><c><v>1</v></c></row><row r="1e300"><c><v>2</v></c></row><row r="x"><c><v>3</v></c></row></sheetData></worksheet>';
    const { rows } = await read(zip([['xl/worksheets/sheet1.xml', sheet]]), 4_096);
    expect(rows.map(({ line }) => line)).toEqual([2, 3]);
  });

  test('is read by the first sheet; numbers are written out, gaps are empty', async () => {
    const bytes = workbook([
      ['phone', 'name', 'city'],
      [442079460958, 'Ada & Co', ''],
      ['+15550100123', '', 'Rome'],
    ]);
    expect(await read(bytes, 4_096)).toEqual({
      rows: [
        { line: 2, cells: { phone: '442079460958', name: 'Ada & Co', city: '' } },
        { line: 3, cells: { phone: '+15550100123', name: '', city: 'Rome' } },
      ],
      faults: [],
    });
  });

  test('is refused if its parts unpack to more than 256 MiB in total, before the last is unpacked', async () => {
    const claimedBytes = 255 * 1024 * 1024;
    const long = Array.from({ length: 40_000 }, () => [randomBytes(16).toString('hex')]);
    await expect(read(workbook(long, { claimedBytes }))).rejects.toThrow('unpacks to more than 256 MiB');
    // Alone, the sheet would be within the bound.
    await expect(read(workbook([['phone']], { claimedBytes }))).rejects.toThrow(
      'compressed more than 100 times',
    );
  });

  test('that unpacks to far more than its size is refused', async () => {
    const bomb = workbook([['phone']], { claimedBytes: 0xf000_0000 });
    await expect(read(bomb, 4_096)).rejects.toThrow(TableError);
    // An entry that declares a small size may not exceed it.
    const liar = workbook([['phone'], ...Array.from({ length: 5_000 }, () => ['+15550100123'])], {
      claimedBytes: 100,
    });
    await expect(read(liar, 4_096)).rejects.toThrow(TableError);
  });

  test.each([['PK\u0003\u0004 and no archive'], ['PK\u0003\u0004']])('%j is not a workbook', async (text) => {
    await expect(read(text)).rejects.toThrow(TableError);
  });
});
