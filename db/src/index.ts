export * from "./connect.ts";
export * from "./migrate.ts";
export type * from "./schema.ts";
export * from "./transaction.ts";
