import { connect, migrateToLatest } from '@outdial/db';
import { createReadiness } from '@outdial/service';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { openBed } from '../bench/engine/bed.ts';
import { makeCampaign, runCampaign, secondsToFinish } from '../bench/engine/campaign.ts';
import { findPgbouncer, startPgbouncer } from '../support/pgbouncer/start-pgbouncer.ts';
import { noteLeftOut } from '../support/services/left-out.ts';

const found = await findPgbouncer();
if (found.state === 'missing') {
  noteLeftOut('the tests with pgbouncer', found.reason, 'by a system with packages of Debian');
}
const program = found.state === 'found' ? found.program : null;
const bed = program && (await openBed({ durability: 'none' }));
afterAll(() => bed?.close());

const programs = ['scheduler/src/main.ts', 'worker/src/main.ts', 'api/src/main.ts'];
const recipients = 200;

test.runIf(program)(
  'a campaign runs through a pooler in transaction mode, and each person is dialed once',
  async () => {
    if (!program || !bed) throw new Error('there is no pgbouncer');
    const world = await bed.world('redis');
    const pooler = await startPgbouncer(program, world.databaseUrl, 10);
    try {
      // As the page says for an older version.
      const env = { DATABASE_URL: pooler.url, ...(!program.prepares && { DATABASE_PREPARED: '0' }) };
      await Promise.all(programs.map((one) => world.startReady(one, env)));
      const campaignId = await makeCampaign(world, { recipients, lines: 20 });
      await runCampaign(world, campaignId);
      await secondsToFinish(world, campaignId, 120);
      const { rows } = await sql`
        select count(*)::int as calls, count(distinct phone_number)::int as people, array_agg(distinct outcome) as outcomes
        from calls where campaign_id = ${campaignId}`.execute(world.db);
      expect(rows).toEqual([{ calls: recipients, people: recipients, outcomes: ['completed'] }]);
    } finally {
      await world.close();
      await pooler.stop();
    }
  },
);

test.runIf(program && !program.prepares)(
  'a pooler that loses prepared statements keeps a process from being ready, which says so and what to do',
  async () => {
    if (!program || !bed) throw new Error('there is no pgbouncer');
    const databaseUrl = await bed.emptyDatabase();
    await migrateToLatest({ databaseUrl });
    // Two processes that share one connection prepare the same statements.
    const pooler = await startPgbouncer(program, databaseUrl, 1);
    const open = (prepares: boolean) => connect({ databaseUrl: pooler.url, prepares });
    const dbs = [open(true), open(true), open(false)];
    const quiet = { info: () => undefined, warn: () => undefined };
    const publisher = { ping: () => Promise.resolve(null) };
    try {
      const faults: string[] = [];
      for (const db of dbs) {
        const { database = '' } = await createReadiness({ db, publisher, log: quiet }).faults();
        faults.push(database);
      }
      expect(faults).toEqual([
        '',
        expect.stringMatching(/loses prepared statements.*DATABASE_PREPARED=0/),
        '',
      ]);
    } finally {
      await Promise.all(dbs.map((db) => db.destroy()));
      await pooler.stop();
    }
  },
);
