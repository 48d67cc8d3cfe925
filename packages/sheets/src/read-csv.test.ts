import { describe, expect, test } from 'vitest';
import { readRows, type TableFault } from './index.ts';

async function read(text: string | Buffer, pieceBytes = 5) {
  const bytes = Buffer.from(text);
  async function* pieces(): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
  }
  const faults: TableFault[] = [];
  const rows: Record<number, string> = {};
  for await (const { line, cells } of readRows(pieces(), { report: (fault) => void faults.push(fault) })) {
    rows[line] = [...cells.values()].join('|');
  }
  return { rows, faults: faults.map(({ line }) => line), reasons: faults.map(({ message }) => message) };
}

const person = (at: number) => `+1555100${String(at).padStart(4, '0')}`;
const people = (count: number, row: (at: number) => string) =>
  `phone,name,note\n${Array.from({ length: count }, (_, at) => row(at)).join('\n')}\n`;

describe('quotation marks', () => {
  test.each([
    ['around the beginning of a cell', '"Bob" Ross,note'],
    ['within a cell in quotation marks', '"Bob "Bobby" Ross",note'],
    ['at the end of such a cell', '"Hotel "Adler"",note'],
    ['that never close', '"P10,note'],
  ])('%s cost their own line only', async (_what, rest) => {
    const list = people(40, (at) => (at === 10 ? `${person(at)},${rest}` : `${person(at)},P${at},note`));
    const { rows, faults, reasons } = await read(list);
    expect(faults).toEqual([12]);
    expect(reasons[0]).toContain('quotation mark');
    expect(Object.keys(rows)).toHaveLength(39);
    expect(rows[13]).toBe(`${person(11)}|P11|note`);
  });

  test('in a cell without any around it are ordinary characters', async () => {
    const { rows } = await read('phone,name,note\n1,Bob "Bobby" Ross,5\'10"\n2, "Ann" ,"a ""b"""\n');
    expect(rows).toEqual({ 2: '1|Bob "Bobby" Ross|5\'10"', 3: '2|Ann|a "b"' });
  });

  test('may surround long lines of spaces, which are no phone number', async () => {
    const line = `${' '.repeat(200_000)}x`;
    const { faults } = await read(`phone,note\n${person(0)},"a\n${line}\n${line}"\n`, 65_536);
    expect(faults).toEqual([]);
  });

  test('may contain line ends', async () => {
    const { rows, faults } = await read(
      `phone,name,note\r\n${person(0)},Ada,"12 High Street,\r\nLondon\n\ncall ${person(1)}"\r\n${person(2)},Bob,\r\n`,
    );
    expect(faults).toEqual([]);
    expect(rows).toEqual({
      5: `${person(0)}|Ada|12 High Street,\nLondon\n\ncall ${person(1)}`,
      6: `${person(2)}|Bob|`,
    });
  });

  test('around what looks like rows leave out each of these lines by name', async () => {
    const list = people(9, (at) => {
      if (at === 2) return `${person(at)},"P2,note`;
      return at === 5 ? `${person(at)},P5,note"` : `${person(at)},P${at},note`;
    });
    const { rows, faults, reasons } = await read(list);
    expect(faults).toEqual([4, 5, 6, 7]);
    expect(reasons[0]).toContain('open on line 4 and close on line 7');
    expect(Object.keys(rows)).toHaveLength(5);
  });

  test.each([
    '+1 555–100–0002',
    '(+49) 171 3920014',
    '４９１７１３９２０012',
    '4.91714E+11',
    '0049 (0) 157 1234 5678',
    '+1~555~100~0002',
  ])('around a person with the number %s leave out the line by name', async (number) => {
    const { rows, faults } = await read(
      `phone,name,note\n${person(1)},"Bob,note\n${number},Al,5"\n${person(3)},Cy,x\n`,
    );
    expect(faults).toEqual([2, 3]);
    expect(Object.keys(rows)).toEqual(['4']);
  });

  test('may hold a note with times and prices', async () => {
    const note = `called, 2026-03-02 15:04, nobody\nowes € 1.234.567, of 2026`;
    const { rows } = await read(`phone,name,note\n${person(1)},Ada,"${note}"\n`);
    expect(rows).toEqual({ 3: `${person(1)}|Ada|${note}` });
  });

  test('that are shifted in every line end the reading soon', async () => {
    let given = 0;
    async function* shifted(): AsyncGenerator<Buffer> {
      yield Buffer.from('phone,name\n');
      for (; given < 30_000; given++) yield Buffer.from('x","y\n');
    }
    const rows = readRows(shifted(), { report: () => undefined });
    await expect(rows.next()).rejects.toThrow('more than 10000 rows are malformed');
    expect(given).toBeLessThan(20_000);
  });

  test('that do not match do not turn the rest of a note into people', async () => {
    const { rows, faults } = await read(`phone,name,note\n1,Ada,"call\n${person(7)}\nsoon "now"\n2,Bob,x\n`);
    expect(rows).toEqual({ 5: '2|Bob|x' });
    expect(faults.toSorted((one, other) => one - other)).toEqual([2, 3, 4]);
  });

  test('that do not match in the first line refuse the file', async () => {
    await expect(read('phone,"name,note\n1,2,3\n')).rejects.toThrow('line 1, with the names of the columns');
  });
});

test('rows may be short, and longer ones may have empty cells only', async () => {
  const list = 'phone,name,,,\n1,Ada\n2\n3,Grace,,,,\n4,Edsger,x\n,,\n';
  expect(await read(list)).toEqual({
    rows: { 2: '1|Ada', 3: '2|', 4: '3|Grace' },
    faults: [5],
    reasons: ['has 3 columns instead of 2'],
  });
});

test('columns in the middle may have no name', async () => {
  expect((await read('phone,,name,,note\n1,,a,x,b\n')).rows).toEqual({ 2: '1|x|a|b' });
});

test.each([
  ['zero-width blanks', '\u200B'],
  ['marks of direction', '\u202A'],
  ['byte order marks', '\uFEFF'],
])('%s are not part of cells and names', async (_what, mark) => {
  const { rows } = await read(
    `${mark}phone${mark},name\n${mark}1${mark},${mark}"a${mark}b"${mark}\n${mark}\n`,
  );
  expect(rows).toEqual({ 2: '1|ab' });
});

test('joiners stay where a script or an emoji needs them', async () => {
  const { rows } = await read('phone,name\n1\u200D2,می‌خواهم\n3,👩‍🔬\n');
  expect(rows).toEqual({ 2: '12|می‌خواهم', 3: '3|👩‍🔬' });
});

test.each([';', '|', '\t', ','])('a first line sep=%s names the delimiter, and is not a row', async (by) => {
  const { rows } = await read(`sep=${by}\nphone${by}name\n1${by}"Ada${by} a, b; c"\n`);
  expect(rows).toEqual({ 3: `1|Ada${by} a, b; c` });
});

test.each(['\r\n', '\r', '\n'])('lines may end with %j', async (end) => {
  const { rows } = await read(['phone,name', '1,Ada', '', '2,Bob'].join(end), 1);
  expect(rows).toEqual({ 2: '1|Ada', 4: '2|Bob' });
});

test.each(['utf16le', 'utf-16be'])('text in %s with a byte order mark is read', async (encoding) => {
  const bytes = Buffer.from('\uFEFFphone\tname\n1\tJ\u00fcrgen\n', 'utf16le');
  const { rows } = await read(encoding === 'utf16le' ? bytes : bytes.swap16());
  expect(rows).toEqual({ 2: '1|Jürgen' });
});

test('a line that is too long is left out, and its end does not become a row', async () => {
  const { rows, faults } = await read(`phone,name\n1,${'x'.repeat(300_000)}\r\n2,Ada\n`, 65_536);
  expect([rows, faults]).toEqual([{ 3: '2|Ada' }, [2]]);
});
