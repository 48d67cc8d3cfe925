import { applyReports } from '@outdial/engine';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { anyBackend } from '../../support/queues.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { phoneNumbers, runCampaign } from '../engine/campaign.ts';

test('numbers that return to a list while their calls end: every request is answered, and no recipient is left between two states', async () => {
  const stack = await useStack({ backend: anyBackend(), simulator: { ringMs: 600_000 } });
  const organization = await stack.organization();
  const { manager } = organization.clients;
  const numbers = phoneNumbers(40);
  const campaign = await runCampaign(
    stack,
    organization,
    { phone_numbers: numbers },
    { max_concurrent_calls: 40 },
  );
  await campaign.dialed(40);
  await manager.setStatus(campaign.id, 'paused');
  const rest = ['+15552999900'];
  await manager.updateCampaign(campaign.id, { phone_numbers: rest });
  const calls = await stack.db.selectFrom('calls').select(['id', 'gated_at']).execute();
  const deps = {
    ...stack.control,
    settings: { ringTimeoutSeconds: 30, maxCallSeconds: 600 },
    metrics: { callEnded: () => undefined },
  };
  const end = (callId: string) =>
    applyReports(deps, [
      {
        callId,
        withoutAcceptance: true,
        facts: [{ kind: 'ended', eventId: null, at: new Date(), outcome: 'busy', details: {} }],
      },
    ]);
  let left = calls.length;
  const ending = Promise.all(
    [0, 1, 2].map(async (lane) => {
      for (const { id } of calls.filter((_, n) => n % 3 === lane)) {
        await end(id);
        left -= 1;
      }
    }),
  );
  for (let n = 0; left > 0; n++) {
    const list = n % 2 === 0 ? numbers.toReversed() : rest;
    await manager.updateCampaign(campaign.id, { phone_numbers: list });
  }
  await ending;
  await manager.updateCampaign(campaign.id, { phone_numbers: numbers });
  const { rows } = await sql<{ between: number }>`
    select count(*)::int as between from campaign_recipients where state = 'dialing'`.execute(stack.db);
  expect(rows[0]?.between).toBe(0);
  await waitFor('no call in progress', async () => {
    const live = await stack.db.selectFrom('calls').select('id').where('phase', '<>', 'ended').execute();
    return live.length === 0;
  });
});
