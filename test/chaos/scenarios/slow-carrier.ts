import assert from 'node:assert/strict';
import { setProvider, engineNow } from '@outdial/db';
import { createDialer } from '@outdial/engine';
import { sql } from 'kysely';
import { waitFor } from '../../support/stack/wait-for.ts';
import type { Scenario } from './scenario.ts';

export const slowBesideFast: Scenario = {
  name: 'a carrier answers no send, and a campaign of another carrier begins in the same worker',
  promise: 'no recipient is forgotten',
  async run(world) {
    const changes = { adapter: 'gateway', maxLines: null, callsPerSecond: null };
    await setProvider(world.db, { name: 'slow', changes, now: await engineNow(world.db) });
    const [slow, fast] = [
      await world.campaign({ numbers: ['+15551000001'] }),
      await world.campaign({ numbers: ['+15551000002'] }),
    ];
    await sql`update campaign_runtime set provider = 'slow' where campaign_id = ${slow}`.execute(world.db);
    world.jobs.take();

    const { deps } = world.engine;
    const gateway = deps.providers.get('gateway');
    assert.ok(gateway);
    const answer = Promise.withResolvers<void>();
    let asked = 0;
    const silent: typeof gateway = {
      ...gateway,
      name: 'slow',
      async place() {
        asked += 1;
        await answer.promise;
        return { kind: 'ambiguous', reason: 'no answer' };
      },
    };
    const providers = new Map([...deps.providers, ['slow', silent]]);
    // One place, which the slow carrier keeps.
    const dialer = createDialer({ ...deps, providers }, { placesOfProvider: 1 });
    try {
      await dialer.advance(slow);
      await waitFor('the slow carrier has a call', () => asked === 1);
      dialer.wake([fast]);
      await waitFor('the other carrier has its call', () => world.accepted().length === 1, {
        withinMs: 4_000,
      });
      assert.equal(asked, 1);
    } finally {
      answer.resolve();
      await dialer.close();
    }
  },
};
