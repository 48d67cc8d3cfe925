import { lockDataDirectory, startEmbeddedPostgres } from '@outdial/local';

/** A process that owns an embedded Postgres until it is killed. It says where the server is, as its URL and its process. */
const directory = lockDataDirectory(process.argv[2] ?? '');
const { databaseUrl, serverPid } = await startEmbeddedPostgres({ directory });
console.log(`${databaseUrl} ${serverPid}`);
