export { DataDirectoryError } from './data-directory/errors.ts';
export type { LockedDataDirectory } from './data-directory/lock-data-directory.ts';
export { lockDataDirectory } from './data-directory/lock-data-directory.ts';
export { EmbeddedPostgresUnavailableError, PortTakenError } from './embedded-postgres/errors.ts';
export { freePort } from './embedded-postgres/free-port.ts';
export type { EmbeddedPostgres } from './embedded-postgres/start.ts';
export { startEmbeddedPostgres } from './embedded-postgres/start.ts';
export type { KeepRequest, KeptProcess } from './keep/keep.ts';
export { keepProcess, ServerNotStartedError } from './keep/keep.ts';
