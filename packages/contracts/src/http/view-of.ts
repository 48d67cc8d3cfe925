import type { z } from 'zod';

/** A row with the names of the schema, and instants where the schema has their text. It may have further fields. */
type RowOf<Schema extends z.ZodObject> = {
  readonly [Name in keyof z.output<Schema>]: z.output<Schema>[Name] | DateOfText<z.output<Schema>[Name]>;
};
type DateOfText<Value> = Extract<Value, string> extends never ? never : Date;

/** Shows rows as the schema has them: only its fields, in its order, with instants as text (ISO 8601). */
export function viewOf<Schema extends z.ZodObject>(schema: Schema): (row: RowOf<Schema>) => z.output<Schema> {
  const names = Object.keys(schema.shape);
  return (row) => {
    const fields: Readonly<Record<string, unknown>> = row;
    // Each field has the type that the schema gives it, or is an instant.
    return Object.fromEntries(
      names.map((name) => {
        const value = fields[name];
        return [name, value instanceof Date ? value.toISOString() : value];
      }),
    ) as z.output<Schema>;
  };
}
