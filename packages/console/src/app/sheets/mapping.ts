import { choosePhoneColumn, namesPhone } from '@outdial/core/choose-phone-column';
import { isDateText } from '@outdial/core/date-text';
import { namesCountry, type PlaceField, placeFieldOf } from '@outdial/core/place-names';
import type { Sheet } from './sheet.ts';

/** The use of a column: a prompt value with a name, or one of these. */
export type ColumnUse =
  | { kind: 'phone' }
  | { kind: PlaceField }
  | { kind: 'value'; name: string }
  | { kind: 'left_out' };

export type Columns = Readonly<Record<string, ColumnUse>>;

interface Table {
  columns: ReadonlyArray<Pick<Sheet['columns'][number], 'name' | 'hidden'>>;
  rows: Sheet['rows'];
}

/** Guesses the use of columns by their names, or that of the phone numbers by its content. Values get the names of similar placeholders. */
export function guessColumns(sheet: Table, placeholders: readonly string[]): Columns {
  const columns = sheet.columns.map(({ name }) => name);
  const plain = (text: string) =>
    text
      .trim()
      .toLowerCase()
      .replaceAll(/[\s-]+/g, '_');
  const phone = phoneColumn(sheet);
  const columnFor = (place: PlaceField) => {
    const named = columns.filter((column) => column !== phone && placeFieldOf(column) === place);
    return named.find((column) => !namesCountry(column)) ?? named[0];
  };
  const guessed: Record<string, ColumnUse> = {};
  for (const column of columns) {
    if (column === phone) guessed[column] = { kind: 'phone' };
    else {
      const place = placeFieldOf(column);
      if (place !== undefined && column === columnFor(place)) {
        guessed[column] = { kind: place };
        continue;
      }
      const alike = placeholders.find((name) => plain(name) === plain(column));
      guessed[column] = { kind: 'value', name: alike ?? column };
    }
  }
  return guessed;
}

/** As the service chooses. Of two that may be it, none: the user chooses. */
function phoneColumn({ columns, rows }: Table): string | undefined {
  const shown = columns.flatMap(({ name, hidden }, at) => (hidden ? [] : [{ name, at }]));
  const chosen = choosePhoneColumn(shown.map(({ name }) => name));
  if (chosen.kind === 'found') return chosen.name;
  if (chosen.kind === 'unclear') return undefined;
  const named = shown.filter(({ name }) => namesPhone(name));
  const alike = shown.filter(({ name, at }) => placeFieldOf(name) === undefined && looksLikePhones(rows, at));
  const likely = named.length > 0 ? named : alike;
  return likely.length === 1 ? likely[0]?.name : undefined;
}

/** Numbers without any sign of a phone may be those of customers, and dates have as many digits. */
function looksLikePhones(rows: Sheet['rows'], column: number): boolean {
  const cells = rows
    .slice(0, 50)
    .flatMap(({ cells: { [column]: cell = '' } }) => (cell === '' ? [] : [cell]));
  const phones = cells.filter(
    (cell) => /^(?=[+(0]|\d+(?:[\s()-]|\.\d+\.))\+?[\d\s().-]{7,20}$/.test(cell) && !isDateText(cell),
  );
  return phones.length / cells.length > 0.8;
}

/** In the format of an import's `mapping`. */
export function mappingOf(columns: Columns): Record<string, string | null> {
  return Object.fromEntries(
    Object.entries(columns).map(([column, use]) => {
      switch (use.kind) {
        case 'phone':
          return [column, 'phone_number'];
        case 'timezone':
        case 'region':
        case 'postal_code':
          return [column, use.kind];
        case 'value':
          // A value may have the name of a field.
          return [column, `prompt_params.${use.name}`];
        case 'left_out':
          return [column, null];
      }
    }),
  );
}

export function columnOf(columns: Columns, kind: 'phone' | 'timezone'): string | null {
  return Object.entries(columns).find(([, use]) => use.kind === kind)?.[0] ?? null;
}

/** The prompt values of a row, by name. Empty cells have no value. */
export function promptValues(
  columns: Columns,
  { columns: names }: Pick<Sheet, 'columns'>,
  cells: readonly string[],
): Record<string, string> {
  return Object.fromEntries(
    names.flatMap(({ name: column }, at) => {
      const use = columns[column];
      const value = cells[at] ?? '';
      return use?.kind === 'value' && value !== '' ? [[use.name, value] as const] : [];
    }),
  );
}

/** How many rows of the file lack a value, by placeholder. Placeholders with a value in every row are left out. */
export function countMissing(
  names: readonly string[],
  columns: Columns,
  sheet: { columns: ReadonlyArray<Pick<Sheet['columns'][number], 'name' | 'empty'>>; count: number },
): Array<{ name: string; rows: number }> {
  return names.flatMap((name) => {
    const empty = sheet.columns.flatMap((column) => {
      const use = columns[column.name];
      return use?.kind === 'value' && use.name === name ? [column.empty] : [];
    });
    const rows = Math.min(sheet.count, ...empty);
    return rows === 0 ? [] : [{ name, rows }];
  });
}
