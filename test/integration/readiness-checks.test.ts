import { connect } from '@outdial/db';
import { createReadiness } from '@outdial/service';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';

test('concurrent checks of readiness are one check, so a fault is logged once and no older result follows a newer one', async () => {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  const db = connect({ databaseUrl: database.databaseUrl, applicationName: 'readiness-test' });
  onTestFinished(() => db.destroy());
  const pings: Array<PromiseWithResolvers<null>> = [];
  const ping = () => {
    const answer = Promise.withResolvers<null>();
    pings.push(answer);
    return answer.promise;
  };
  const logged: unknown[][] = [];
  const note = (...line: unknown[]) => void logged.push(line);
  const log = { info: note, warn: note };
  // On a busy machine, Postgres may really fail to answer within two seconds.
  const ofQueue = () => logged.filter(([fields]) => JSON.stringify(fields).includes('"check":"queue"'));
  const readiness = createReadiness({ db, publisher: { ping }, log });

  const [first, second] = [readiness.faults(), readiness.faults()];
  expect(pings).toHaveLength(1);
  pings[0]?.reject(new Error('the connection is lost'));
  const fault = { queue: 'cannot be reached' };
  expect(await Promise.all([first, second])).toMatchObject([fault, fault]);
  expect(ofQueue()).toEqual([[expect.objectContaining({ check: 'queue' }), 'not ready']]);

  const third = readiness.faults();
  expect(pings).toHaveLength(2);
  pings[1]?.resolve(null);
  expect(await third).not.toHaveProperty('queue');
  expect(ofQueue().slice(1)).toEqual([[{ check: 'queue' }, 'ready again']]);
});

test('a migration that has not run is named', async () => {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  const db = connect({ databaseUrl: database.databaseUrl, applicationName: 'readiness-test' });
  onTestFinished(() => db.destroy());
  const log = { info: () => undefined, warn: () => undefined };
  const readiness = createReadiness({ db, publisher: { ping: () => Promise.resolve(null) }, log });
  await expect.poll(() => readiness.faults()).toEqual({});

  const { rows } = await sql<{ name: string }>`
    delete from kysely_migration where name = (select max(name) from kysely_migration) returning name`.execute(
    db,
  );
  await expect
    .poll(() => readiness.faults())
    .toEqual({ database: `migrations have not run: ${rows[0]?.name}` });
});
