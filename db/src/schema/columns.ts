import type { ColumnType } from 'kysely';

export type JsonObject = Record<string, unknown>;
/** Written as JSON text, because pg would send an array as a Postgres array; read as the parsed value. */
export type Json<T> = ColumnType<T, string | undefined, string>;
export type NullableJson<T> = ColumnType<T | null, string | null | undefined, string | null>;
export type Now = ColumnType<Date, Date | undefined, Date>;
