import {
  lockCampaign,
  inTransaction,
  savePlans,
  openAdvances,
  wakeCampaign,
  writeCampaignStatus,
} from '@outdial/db';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { anyBackend } from '../../support/queues.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { waitFor } from '../../support/stack/wait-for.ts';

test('a pause that meets an advance waits for it, and neither has to be run again', async () => {
  const stack = await useStack({ backend: anyBackend(), workers: 0, schedulers: 0 });
  const { clients, agentId, id: organizationId } = await stack.organization();
  const { id: campaignId } = await clients.manager.createCampaign({
    name: 'Paused while it advances',
    agent_id: agentId,
    phone_numbers: ['+15551230000'],
  });
  await clients.manager.setStatus(campaignId, 'running');
  const runs = { advance: 0, pause: 0 };
  const advanced = Promise.withResolvers<void>();
  const pauseWaits = Promise.withResolvers<void>();

  const advance = inTransaction(stack.db, async (tx) => {
    runs.advance += 1;
    const [view] = await openAdvances(tx, [campaignId], { waits: true });
    await wakeCampaign(tx, campaignId, view?.now ?? new Date());
    advanced.resolve();
    await pauseWaits.promise;
    // On the second change of a row in a transaction, Postgres checks its foreign keys.
    const plan = { wakeAt: null, nextDialAt: null, waitingFor: 'window' } as const;
    await savePlans(tx, [{ ...plan, campaignId, dialed: 0 }], view?.now ?? new Date());
  });
  await advanced.promise;
  const pause = inTransaction(stack.db, async (tx) => {
    runs.pause += 1;
    const held = await lockCampaign(tx, { organizationId, campaignId });
    await writeCampaignStatus(tx, { campaignId, status: 'paused', now: held?.now ?? new Date() });
  });
  await waitFor('the pause to wait for the advance', async () => {
    const { rows } = await sql`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(stack.db);
    return rows.length > 0;
  });
  pauseWaits.resolve();
  await Promise.all([advance, pause]);

  expect(runs).toEqual({ advance: 1, pause: 1 });
  expect((await clients.manager.readDialing(campaignId))?.waitingFor ?? null).toBeNull();
});
