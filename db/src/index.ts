export * from './connect.ts';
export * from './migrate.ts';
export type { CallEvent } from './schema/calls.ts';
export type { JsonObject } from './schema/columns.ts';
export type { Database } from './schema/index.ts';
export type { Role } from './schema/organizations.ts';
export {
  type Caller,
  CallerLeftError,
  ConnectionsBusyError,
  forCaller,
  StatementTooLongError,
  withinMs,
} from './postgres/caller.ts';
export { anyLength } from './postgres/any-length.ts';
export { postgresCode } from './postgres/error-code.ts';
export { deferred } from './postgres/deferred.ts';
export { prepared } from './postgres/prepared.ts';
export * from './lesser-role.ts';
export * from './transaction.ts';
export { writeAsRequestsDo } from './write-as-requests-do.ts';
export { shareSuppressions } from './gate-locks.ts';
export * from './engine/index.ts';
export * from './compliance/index.ts';
export * from './caller-ids/index.ts';
export * from './metrics/index.ts';
export * from './knowledge-base/index.ts';
export * from './api-keys/index.ts';
export * from './organizations/index.ts';
export * from './usage/index.ts';
export * from './users/index.ts';
export * from './campaign-counts/index.ts';
export * from './campaigns/index.ts';
export * from './agents/index.ts';
export * from './audit/index.ts';
export * from './audit-log/index.ts';
export * from './tags/index.ts';
export * from './calls/index.ts';
export * from './lists/index.ts';
export * from './recipients/index.ts';
export * from './idempotency/index.ts';
export * from './sessions/index.ts';
export * from './suppressions/index.ts';
export * from './waiting/index.ts';
export * from './workers/index.ts';
export * from './voice/index.ts';
export * from './inbound/index.ts';
export * from './people/index.ts';
export * from './providers/index.ts';
export * from './recordings/index.ts';
export * from './retention/index.ts';
export * from './outbox/index.ts';
export * from './webhooks/index.ts';
