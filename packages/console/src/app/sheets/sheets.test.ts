import { expect, test } from 'vitest';
import { toCsv } from './csv.ts';
import { countMissing, guessColumns, mappingOf, promptValues } from './mapping.ts';

const sheetOf = (names: readonly string[], rows: string[][] = []) => ({
  columns: names.map((name) => ({ name, hidden: false })),
  rows: rows.map((cells, at) => ({ line: at + 2, cells })),
});

test('guesses columns by their names, the prompt and their content', () => {
  expect(guessColumns(sheetOf(['Vorname', 'Telefon', 'Zeitzone']), ['vorname'])).toEqual({
    Vorname: { kind: 'value', name: 'vorname' },
    Telefon: { kind: 'phone' },
    Zeitzone: { kind: 'timezone' },
  });
  const rows = [
    ['Ada', '+1 555 123 0000'],
    ['Grace', '(555) 123-0001'],
  ];
  expect(guessColumns(sheetOf(['Who', 'Reach at'], rows), [])).toEqual({
    Who: { kind: 'value', name: 'Who' },
    'Reach at': { kind: 'phone' },
  });
});

test('guesses places, and leaves it to the user which of two columns has the numbers', () => {
  expect(guessColumns(sheetOf(['Number', 'Mobile', 'State', 'ZIP', 'Country']), [])).toEqual({
    Number: { kind: 'value', name: 'Number' },
    Mobile: { kind: 'value', name: 'Mobile' },
    State: { kind: 'region' },
    ZIP: { kind: 'postal_code' },
    Country: { kind: 'value', name: 'Country' },
  });
  expect(guessColumns(sheetOf(['Number', 'Phone']), [])['Phone']).toEqual({ kind: 'phone' });
  // A country says less than the state beside it, wherever it stands.
  expect(guessColumns(sheetOf(['Phone', 'Mailing Country', 'State']), [])).toMatchObject({
    'Mailing Country': { kind: 'value' },
    State: { kind: 'region' },
  });
});

test.each([
  [['Name', 'Geburtsdatum', 'Rufnummer'], ['Ada', '1980-05-12', '0171 3920012'], 'Rufnummer'],
  [['Kundennummer', 'Name', 'Rufnummer'], ['1000231', 'Ada', '491713920012'], 'Rufnummer'],
  [['ID', 'Name', 'Contact no.'], ['1000231', 'Ada', '5551230000'], 'Contact no.'],
  [['Company', 'Contact', 'Contact Number'], ['Acme', 'Ada', '5551230000'], 'Contact Number'],
  [['Contact', 'Mobile'], ['Ada', '5551230000'], 'Mobile'],
  [['Account', 'Name', 'Ph No'], ['1000231', 'Ada', '5551230000'], 'Ph No'],
  [['Born', 'ZIP', 'Reach at'], ['12.05.1980', '12345-6789', '(555) 123-0000'], 'Reach at'],
  [['Account', 'Total', 'Reach at'], ['1000231', '12345.67', '555.123.0000'], 'Reach at'],
  // Two that may be it, and none that surely is.
  [['Mobile', 'Home tel'], ['+1 555 123 0000', '+1 555 123 0001'], undefined],
  [['Reach at', 'Or at'], ['+1 555 123 0000', '+1 555 123 0001'], undefined],
  [['Account', 'Reach at'], ['1000231', '0171/392 (private)'], undefined],
  [['Born', 'Name'], ['1980-05-12', 'Ada'], undefined],
])('of %j with %j, the numbers are in %s', (names, cells, phone) => {
  const columns = guessColumns(sheetOf(names, [cells]), []);
  expect(names.find((name) => columns[name]?.kind === 'phone')).toBe(phone);
});

test('a column that the sheet hides is not guessed to have the numbers', () => {
  const phoneOf = (hidden: string, names: string[]) => {
    const columns = names.map((name) => ({ name, hidden: name === hidden }));
    const rows = [{ line: 2, cells: names.map(() => '+1 555 123 0000') }];
    const guessed = guessColumns({ columns, rows }, []);
    return names.find((name) => guessed[name]?.kind === 'phone');
  };
  expect(phoneOf('Phone', ['Phone', 'Mobile'])).toBe('Mobile');
  expect(phoneOf('Mobile', ['Mobile', 'Reach at'])).toBe('Reach at');
  expect(phoneOf('Phone', ['Phone'])).toBeUndefined();
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
  const sheet = {
    columns: ['Name', 'Tel', 'Note', 'Zone'].map((name) => ({ name, hidden: false, empty: 0, values: null })),
  };
  expect(promptValues(columns, sheet, ['Ada', '+1555', 'x'])).toEqual({ name: 'Ada' });
});

test('rows without a value are counted over the whole file', () => {
  const columns = [
    { name: 'Name', hidden: false, empty: 1 },
    { name: 'Who', hidden: false, empty: 4 },
    { name: 'Topic', hidden: false, empty: 0 },
  ];
  const uses = guessColumns({ columns, rows: [] }, ['name', 'topic', 'day']);
  const twice = { ...uses, Who: { kind: 'value', name: 'name' } } as const;
  expect(countMissing(['topic', 'day', 'name'], twice, { columns, count: 9 })).toEqual([
    { name: 'day', rows: 9 },
    { name: 'name', rows: 1 },
  ]);
});

test('cells that begin like a formula are escaped; numbers of phones are not', () => {
  expect(toCsv([['=1+1', '+15551230000', '+cmd', '@x', 'a,"b"', '-5']])).toBe(
    `'=1+1,+15551230000,'+cmd,'@x,"a,""b""",-5`,
  );
});
