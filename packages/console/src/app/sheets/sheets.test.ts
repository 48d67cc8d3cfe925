import { expect, test } from 'vitest';
import { toCsv } from './csv.ts';
import { guessColumns, mappingOf, promptValues } from './mapping.ts';
import { readSheet } from './read-sheet.ts';
import { sheetOf, valuesOf } from './sheet.ts';

test('guesses columns by their names, the prompt and their content', () => {
  expect(guessColumns(['Vorname', 'Telefon', 'Zeitzone', ''], [], ['vorname'])).toEqual({
    Vorname: { kind: 'value', name: 'vorname' },
    Telefon: { kind: 'phone' },
    Zeitzone: { kind: 'timezone' },
  });
  const rows = [
    ['Ada', '+1 555 123 0000'],
    ['Grace', '(555) 123-0001'],
  ];
  expect(guessColumns(['Who', 'Reach at'], rows, [])).toEqual({
    Who: { kind: 'value', name: 'Who' },
    'Reach at': { kind: 'phone' },
  });
});

test('guesses places, and leaves it to the user which of two columns has the numbers', () => {
  expect(guessColumns(['Number', 'Mobile', 'State', 'ZIP', 'Country'], [], [])).toEqual({
    Number: { kind: 'value', name: 'Number' },
    Mobile: { kind: 'value', name: 'Mobile' },
    State: { kind: 'region' },
    ZIP: { kind: 'postal_code' },
    Country: { kind: 'value', name: 'Country' },
  });
  expect(guessColumns(['Number', 'Phone'], [], [])['Phone']).toEqual({ kind: 'phone' });
});

test('a file is read as the service reads it', async () => {
  const text = 'sep=;\n\uFEFFphone;name\n\n+15551230000;"Bob" Ross\n+15551230001;\u200BAnn\n+15551230002\n';
  const sheet = await readSheet(new File([text], 'list.csv'));
  expect(sheet).toEqual({
    columns: ['phone', 'name'],
    rows: [['+15551230001', 'Ann'], ['+15551230002']],
    lines: [5, 6],
    isCut: false,
  });
});

test('a mapping has the format of the import', () => {
  const columns = {
    Name: { kind: 'value', name: 'name' },
    Tel: { kind: 'phone' },
    Zone: { kind: 'timezone' },
    Note: { kind: 'left_out' },
  } as const;
  expect(mappingOf(columns)).toEqual({
    Name: 'prompt_params.name',
    Tel: 'phone_number',
    Zone: 'timezone',
    Note: null,
  });
  const row = valuesOf({ columns: ['Name', 'Tel', 'Note'] }, [' Ada ', '+1555', 'x']);
  expect(promptValues(columns, row)).toEqual({ name: 'Ada' });
});

test('empty rows are skipped, and an empty file is refused', () => {
  const rows = [[''], ['A'], [''], ['1']].map((cells, at) => ({ line: at + 1, cells }));
  expect(sheetOf(rows, false)).toEqual({ columns: ['A'], rows: [['1']], lines: [4], isCut: false });
  expect(() => sheetOf([{ line: 1, cells: [' ', ''] }], false)).toThrow('The file is empty');
});

test('cells that begin like a formula are escaped; numbers of phones are not', () => {
  expect(toCsv([['=1+1', '+15551230000', '+cmd', '@x', 'a,"b"', '-5']])).toBe(
    `'=1+1,+15551230000,'+cmd,'@x,"a,""b""",-5`,
  );
});
