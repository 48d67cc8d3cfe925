import { expect, test } from 'vitest';
import { diagnoseStart } from './diagnose.ts';

// The lines are those of Postgres 18 itself.
test.each([
  [
    'a taken port',
    `LOG:  could not bind IPv4 address "127.0.0.1": Address already in use
HINT:  Is another postmaster already running on port 5432? If not, wait a few seconds and retry.
WARNING:  could not create listen socket for "127.0.0.1"
FATAL:  could not create any TCP/IP sockets`,
    { reason: 'port_taken' },
  ],
  [
    'processes of a killed server',
    `FATAL:  pre-existing shared memory block (key 61, ID 3) is still in use
HINT:  Terminate any old server processes associated with data directory "/data".`,
    { reason: 'still_ending' },
  ],
  [
    'a lost checkpoint, after a connection that came too early',
    `FATAL:  the database system is starting up
PANIC:  could not locate a valid checkpoint record at 0/1C36330
LOG:  startup process (PID 7) was terminated by signal 6: Aborted`,
    { reason: 'refused', message: 'could not locate a valid checkpoint record at 0/1C36330' },
  ],
  [
    'a library that is missing',
    'postgres: error while loading shared libraries: libicuuc.so.60: cannot open shared object file',
    {
      reason: 'refused',
      message:
        'postgres: error while loading shared libraries: libicuuc.so.60: cannot open shared object file',
    },
  ],
  ['silence', '', { reason: 'refused', message: 'it exited without a message' }],
])('%s', (_, log, failure) => {
  expect(diagnoseStart(log)).toEqual(failure);
});
