import { connect } from '@outdial/db';
import { createReadiness } from '@outdial/service';
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
  const logged: unknown[] = [];
  const log = {
    info: (...line: unknown[]) => logged.push(line),
    warn: (...line: unknown[]) => logged.push(line),
  };
  const readiness = createReadiness({ db, publisher: { ping }, log });

  const [first, second] = [readiness.faults(), readiness.faults()];
  expect(pings).toHaveLength(1);
  pings[0]?.reject(new Error('the connection is lost'));
  const fault = { queue: 'cannot be reached' };
  expect(await Promise.all([first, second])).toEqual([fault, fault]);
  expect(logged).toEqual([[expect.objectContaining({ check: 'queue' }), 'not ready']]);

  const third = readiness.faults();
  expect(pings).toHaveLength(2);
  pings[1]?.resolve(null);
  expect(await third).toEqual({});
  expect(logged.slice(1)).toEqual([[{ check: 'queue' }, 'ready again']]);
});
