import { lockDataDirectory, startEmbeddedPostgres } from '@outdial/local';

/** A process that owns an embedded Postgres until it is killed. Prints the server's URL and process id. */
const directory = lockDataDirectory(process.argv[2] ?? '');
const { databaseUrl, serverPid } = await startEmbeddedPostgres({ directory });
console.log(`${databaseUrl} ${serverPid}`);

// Ends this process when the test run is killed.
process.stdin.resume().on('end', () => process.exit(0));
