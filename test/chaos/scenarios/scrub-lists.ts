import assert from 'node:assert/strict';
import { addToScrubList, engineNow, inTransaction, type Db } from '@outdial/db';
import { sql } from 'kysely';
import { heldBy } from './held-by.ts';
import type { Scenario } from './scenario.ts';
import type { ScenarioWorld } from './world.ts';

/** Scenarios about numbers on do-not-call registries. */

const [blocker, listed] = ['+15551000000', '+15551000001'] as const;

async function importNumbers(
  db: Db,
  world: ScenarioWorld,
  { phoneNumbers, isComplete }: { phoneNumbers: string[]; isComplete: boolean },
): Promise<void> {
  await inTransaction(db, async (tx) =>
    addToScrubList(tx, {
      organizationId: world.organization.id,
      name: 'registry',
      source: 'a registry',
      account: null,
      scrubbedAt: await engineNow(tx),
      phoneNumbers,
      isComplete,
      isChecked: false,
    }),
  );
}

export const scrubListWaitsForGates: Scenario = {
  name: 'a number is added to a scrub list while a gate that has not read it is open',
  promise: 'no dial after no',
  async run(world) {
    await importNumbers(world.db, world, { phoneNumbers: [], isComplete: true });
    await world.campaign({ numbers: [blocker] });
    await world.engine.settle();
    await world.campaign({ numbers: [listed], config: { scrub_lists: ['registry'] } });
    const jobs = world.jobs.take('advance-campaign');
    // An open transaction changes another live call to this number, so the gate's insert of its call waits for it.
    const release = await heldBy(
      world,
      sql`update calls set phone_number = ${listed} where phone_number = ${blocker}`,
    );
    const deciding = Promise.all(jobs.map((job) => world.engine.run(job)));
    await world.untilBlocked('worker');
    const importer = world.openEngine('importer');
    let isAnswered = false;
    // A part, because the last one of a list also waits for the campaigns that need it, to wake them.
    const part = { phoneNumbers: [listed], isComplete: false };
    const importing = importNumbers(importer.db, world, part).then(() => (isAnswered = true));
    await Promise.race([importing, world.untilBlocked('importer')]);
    const wasEarly = isAnswered;
    await release();
    await Promise.all([deciding, importing]);
    assert.ok(!wasEarly, 'an import was answered before a gate that had not read the number committed');
  },
};
