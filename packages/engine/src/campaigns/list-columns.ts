import type { TimeZoneHints } from '@outdial/contracts';
import {
  type ColumnMapping,
  faultOfPlace,
  isTimeZone,
  type PlaceField,
  placeFieldOf,
  regionOfCell,
} from '@outdial/core';
import type { JsonObject, RecipientDetails } from '@outdial/db';

export interface ListColumns {
  phone: string;
  /** The columns that say where a person is. */
  places: ReadonlyMap<PlaceField, string>;
  /** The names of prompt values, by column. */
  values: ReadonlyMap<string, string>;
  /** Columns that look like places, or are mapped to what does, and are prompt values, although nobody said so. */
  unusedPlaces: ReadonlyMap<string, PlaceField>;
}

const placeFields: readonly PlaceField[] = ['timezone', 'region', 'postal_code'];

/**
 * A column named `timezone`, `region` or `postal_code`, or mapped to it, is the place of a person. Every other column is a prompt value under
 * its name, or under the one that `mapping` gives it (`prompt_params.state` is `state`); null leaves it out.
 * @returns a sentence for the caller if two columns have one meaning
 */
export function listColumnsOf(
  names: readonly string[],
  { phone, mapping }: { phone: string; mapping: ColumnMapping },
): ListColumns | { fault: string } {
  const places = new Map<PlaceField, string>();
  const values = new Map<string, string>();
  const unusedPlaces = new Map<string, PlaceField>();
  const columns = new Map<string, string>();
  for (const name of names) {
    if (name === '' || name === phone) continue;
    const isFree = !Object.hasOwn(mapping, name);
    const given = isFree ? name : mapping[name];
    if (given == null || given === '') continue;
    const place = placeFields.find((field) => field === (isFree ? given.toLowerCase() : given));
    const meaning = place ?? given.replace(/^prompt_params\./, '');
    const other = columns.get(meaning);
    if (other !== undefined) {
      return {
        fault: `the columns ${JSON.stringify(other)} and ${JSON.stringify(name)} are both ${meaning}: map one of them to another name, or to null`,
      };
    }
    columns.set(meaning, name);
    if (place !== undefined) places.set(place, name);
    else {
      values.set(name, meaning);
      // A mapping to `Region` or `zip` may mean the place too. The prefix says that it is a prompt value.
      const field = given.startsWith('prompt_params.') ? undefined : placeFieldOf(given);
      if (field !== undefined) unusedPlaces.set(name, field);
    }
  }
  return { phone, places, values, unusedPlaces };
}

export function columnsRead({ phone, places, values }: ListColumns): Set<string> {
  return new Set([phone, ...places.values(), ...values.keys()]);
}

export interface CellFault {
  column: string;
  value: string;
  reason: string;
}

export function detailsOfRow(
  cells: ReadonlyMap<string, string>,
  columns: ListColumns,
  args: { phoneNumber: string; hints: TimeZoneHints; unknownZone: (zone: string, hint: string) => string },
): RecipientDetails | CellFault {
  const cell = (field: PlaceField) => {
    const column = columns.places.get(field) ?? '';
    return { column, value: column === '' ? '' : (cells.get(column) ?? '') };
  };
  const fault = (field: PlaceField, reason: string): CellFault => ({ ...cell(field), reason });
  const timezone = cell('timezone').value;
  if (timezone !== '' && !isTimeZone(timezone)) {
    return fault('timezone', args.unknownZone(timezone, args.hints.hint(timezone)));
  }
  const { column, value } = cell('region');
  const region = value === '' ? null : regionOfCell(value, { column, phoneNumber: args.phoneNumber });
  if (region !== null && 'fault' in region) return fault('region', region.fault);
  const postalCode = cell('postal_code').value;
  const place = {
    ...(region !== null && { region: region.region }),
    ...(postalCode !== '' && { postalCode }),
  };
  const wrong = faultOfPlace({ ...place, timezone: timezone === '' ? undefined : timezone });
  if (wrong !== null) {
    return fault(
      wrong.field,
      `has a ${wrong.field} that does not fit: ${wrong.msg}. If the column is a prompt value, map it to prompt_params.${cell(wrong.field).column}`,
    );
  }
  const values = [...columns.values].flatMap(([name, as]) => {
    const text = cells.get(name) ?? '';
    return text === '' ? [] : [[as, text] as const];
  });
  return {
    timezone: timezone === '' ? null : timezone,
    ...place,
    promptParams: values.length === 0 ? null : Object.fromEntries(values),
  };
}

/** The people of a list as in `additional_params.recipients`, those without fields of their own left out. */
export function recipientJson(people: ReadonlyMap<string, RecipientDetails>): Record<string, JsonObject> {
  return Object.fromEntries(
    [...people].flatMap(([phoneNumber, { timezone, region, postalCode, promptParams }]) => {
      const fields = {
        ...(timezone !== null && { timezone }),
        ...(region !== undefined && { region }),
        ...(postalCode !== undefined && { postal_code: postalCode }),
        ...(promptParams !== null && { prompt_params: promptParams }),
      };
      return Object.keys(fields).length === 0 ? [] : [[phoneNumber, fields] as const];
    }),
  );
}
