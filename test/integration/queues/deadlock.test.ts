import pg from 'pg';
import { expect, test } from 'vitest';
import { ConnectionWatch } from '../../../packages/queues/src/connection-watch.ts';
import { SharedPostgresConnection } from '../../../packages/queues/src/shared-postgres-connection.ts';
import { useTestDatabase } from '../../support/database.ts';
import { recordingLog } from '../queues.world.ts';

const database = await useTestDatabase();

test('a query of a queue that Postgres chose as the victim of a deadlock runs again', async () => {
  const admin = new pg.Client(database.databaseUrl);
  await admin.connect();
  await admin.query(`create table jobs (id int primary key, ends int not null default 0);
    insert into jobs values (1), (2);
    create function end_both(first int, second int) returns void language plpgsql as $$
    begin
      update jobs set ends = ends + 1 where id = first;
      perform pg_sleep(0.3);
      update jobs set ends = ends + 1 where id = second;
    end $$`);
  const log = recordingLog();
  const connection = new SharedPostgresConnection(
    { url: database.databaseUrl, schema: 'public', poolMax: 2 },
    new ConnectionWatch(log, 'postgres'),
  );
  try {
    const end = (first: number, second: number) =>
      connection.pool.query('select end_both($1, $2)', [first, second]);
    await Promise.all([end(1, 2), end(2, 1)]);
    const { rows } = await admin.query('select ends from jobs');
    expect(rows).toEqual([{ ends: 2 }, { ends: 2 }]);
    expect(log.lines).toEqual([]);
  } finally {
    await connection.end();
    await admin.end();
  }
});
