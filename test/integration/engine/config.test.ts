import type { CampaignConfigBody } from '@outdial/contracts';
import { describe, expect, test } from 'vitest';
import { engineBackends } from '../../support/queues.ts';
import { runToEnd, untilAtRest } from '../../support/stack/campaign-watch.ts';
import { mostAtOnce } from '../../support/stack/dials.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { phoneNumbers, runCampaign } from './campaign.ts';

describe.each(engineBackends())('a config that changes while its campaign runs, queues on %s', (backend) => {
  test.each<[string, CampaignConfigBody, CampaignConfigBody]>([
    ['campaign_line', { max_concurrent_calls: 1 }, { max_concurrent_calls: 9 }],
    // A busy machine may miss the slot of the first call, and the next one is 100 seconds later.
    ['calls_per_second', { calls_per_second: 0.01 }, { calls_per_second: null }],
    ['window', {}, { call_on_weekend: true }],
  ])('lets all be dialed at once who waited for %s, without a scheduler', async (reason, before, after) => {
    const startAt = reason === 'window' ? '2027-03-06T12:00:00-05:00' : '2027-03-05T12:00:00-05:00';
    const stack = await useStack({ backend, startAt, schedulers: 0, simulator: { talkMs: 300_000 } });
    const organization = await stack.organization();
    const { manager } = organization.clients;
    const campaign = await runCampaign(stack, organization, { phone_numbers: phoneNumbers(9) }, before);
    await expect.poll(() => manager.readDialing(campaign.id)).toMatchObject({ waitingFor: reason });
    expect((await campaign.dials()).length).toBeLessThanOrEqual(1);
    await manager.setConfig(campaign.id, after);
    await campaign.dialed(9);
  });

  test('takes lines away from the next dial on', async () => {
    const stack = await useStack({ backend, simulator: { talkMs: 300_000 } });
    const organization = await stack.organization();
    const campaign = await runCampaign(
      stack,
      organization,
      { phone_numbers: phoneNumbers(18) },
      { max_concurrent_calls: 6 },
    );
    await campaign.dialed(6);
    await untilAtRest(stack.db, campaign.id);
    await organization.clients.manager.setConfig(campaign.id, { max_concurrent_calls: 2 });
    const loweredAt = await stack.clock.now();
    await runToEnd(stack.db, stack.clock, campaign.id);
    const dials = await campaign.dials();
    expect(dials).toHaveLength(18);
    expect(mostAtOnce(dials.filter((dial) => dial.gatedAt > loweredAt))).toBe(2);
  });
});
