import { sql, type RawBuilder } from 'kysely';

const arrays = {
  uuid: sql`uuid[]`,
  int: sql`int[]`,
  text: sql`text[]`,
  timestamptz: sql`timestamptz[]`,
  boolean: sql`boolean[]`,
  jsonb: sql`jsonb[]`,
};

/**
 * An array parameter of a prepared statement (prepared.ts) whose length varies. For the result of a subquery, Postgres always assumes ten elements,
 * so it uses one generic plan for all lengths.
 */
export function anyLength(values: readonly unknown[], of: keyof typeof arrays): RawBuilder<unknown> {
  return sql`(select ${values}::${arrays[of]})::${arrays[of]}`;
}
