import { lockDataDirectory, startEmbeddedPostgres } from '@outdial/local';

/** A process that owns an embedded Postgres until it is killed. It says where the server is, as its URL and its process. */
const directory = lockDataDirectory(process.argv[2] ?? '');
const { databaseUrl, serverPid } = await startEmbeddedPostgres({ directory });
console.log(`${databaseUrl} ${serverPid}`);

// A test run that is killed takes this process with it.
process.stdin.resume().on('end', () => process.exit(0));
