import { connect } from '@outdial/db';
import { openPublisher } from '@outdial/queues';
import { createServer } from 'node:net';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { SharedPostgresConnection } from '../../packages/queues/src/shared-postgres-connection.ts';
import { ConnectionWatch } from '../../packages/queues/src/connection-watch.ts';
import { recordingLog } from './queues.world.ts';

const message = (type: string, body: Buffer): Buffer => {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
};
const welcome = Buffer.concat([message('R', Buffer.alloc(4)), message('Z', Buffer.from('I'))]);
const fault = message('E', Buffer.from('SFATAL\0VFATAL\0C57P01\0Mterminating connection\0\0'));

/** What is said depends on what comes first: the end of the session, or the statement. */
const lost = /connection|terminat|reach|queue/iu;

/** A server that is shut down while it greets a client: the welcome and the end of the session come in one packet. */
async function endingServer(): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(Buffer.concat([welcome, fault])));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return `postgres://outdial@127.0.0.1:${address.port}/outdial`;
}

// An error event without a listener would end the process; vitest reports it.
test('a session that its server ends as it begins fails what needs it, and not the process', async () => {
  const databaseUrl = await endingServer();
  const db = connect({ databaseUrl, poolMax: 1 });
  onTestFinished(() => db.destroy());
  await expect(sql`select 1`.execute(db)).rejects.toThrow(lost);

  const log = recordingLog();
  const publisher = openPublisher({ kind: 'postgres', url: databaseUrl }, { log });
  onTestFinished(() => publisher.close());
  await expect(publisher.ping()).rejects.toThrow(lost);

  const queues = new SharedPostgresConnection(
    { url: databaseUrl, schema: 'bullmq', poolMax: 1 },
    new ConnectionWatch(log, 'postgres'),
  );
  onTestFinished(() => queues.end());
  const listener = await queues.getListenClient();
  await expect(listener.query('listen jobs')).rejects.toThrow(lost);
});
