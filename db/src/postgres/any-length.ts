import { sql, type RawBuilder } from 'kysely';

const arrays = {
  uuid: sql`uuid[]`,
  int: sql`int[]`,
  text: sql`text[]`,
  timestamptz: sql`timestamptz[]`,
  boolean: sql`boolean[]`,
};

/**
 * An array of a prepared statement (prepared.ts) that is longer at one time than at another. Postgres does not look into a subquery when
 * it plans: it always assumes ten elements, so one plan will do for all lengths, and it stops planning.
 */
export function anyLength(values: readonly unknown[], of: keyof typeof arrays): RawBuilder<unknown> {
  return sql`(select ${values}::${arrays[of]})::${arrays[of]}`;
}
