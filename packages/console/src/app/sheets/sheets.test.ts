import { expect, test } from 'vitest';
import { toCsv } from './csv.ts';
import { guessColumns, mappingOf, promptValues } from './mapping.ts';
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

test('a mapping has the format of the import', () => {
  const columns = {
    Name: { kind: 'value', name: 'name' },
    Tel: { kind: 'phone' },
    Zone: { kind: 'timezone' },
    Note: { kind: 'left_out' },
  } as const;
  expect(mappingOf(columns)).toEqual({ Name: 'name', Tel: 'phone_number', Zone: 'timezone', Note: null });
  const row = valuesOf({ columns: ['Name', 'Tel', 'Note'] }, [' Ada ', '+1555', 'x']);
  expect(promptValues(columns, row)).toEqual({ name: 'Ada' });
});

test('empty rows are skipped, and an empty file is refused', () => {
  expect(sheetOf([['A'], [''], ['1']], false).rows).toEqual([['1']]);
  expect(() => sheetOf([[' ', '']], false)).toThrow('The file is empty');
});

test('cells that begin like a formula are escaped; numbers of phones are not', () => {
  expect(toCsv([['=1+1', '+15551230000', '+cmd', '@x', 'a,"b"', '-5']])).toBe(
    `'=1+1,+15551230000,'+cmd,'@x,"a,""b""",-5`,
  );
});
