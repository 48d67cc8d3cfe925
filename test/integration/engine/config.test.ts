import { describe, expect, test } from 'vitest';
import { anyBackend, engineBackends } from '../../support/queues.ts';
import { runToEnd, untilAtRest } from '../../support/stack/campaign-watch.ts';
import { mostAtOnce } from '../../support/stack/dials.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { phoneNumbers, runCampaign } from './campaign.ts';

describe.each(engineBackends())('a config that changes while its campaign runs, queues on %s', (backend) => {
  test('more lines are used at once, fewer from the next dial on', async () => {
    const stack = await useStack({ backend, simulator: { talkMs: 300_000 } });
    const organization = await stack.organization();
    const { manager } = organization.clients;
    const campaign = await runCampaign(
      stack,
      organization,
      { phone_numbers: phoneNumbers(18) },
      { max_concurrent_calls: 1 },
    );
    const [first] = await campaign.dialed(1);
    expect(await manager.readDialing(campaign.id)).toMatchObject({ waitingFor: 'campaign_line' });
    await manager.setConfig(campaign.id, { max_concurrent_calls: 6 });
    await campaign.dialed(6);
    await untilAtRest(stack.db, campaign.id);
    expect(mostAtOnce(await campaign.dials())).toBe(6);
    await manager.setConfig(campaign.id, { max_concurrent_calls: 2 });
    const loweredAt = await stack.clock.now();
    await runToEnd(stack.db, stack.clock, campaign.id);
    const dials = await campaign.dials();
    expect(dials).toHaveLength(18);
    expect(dials[0]?.callId).toBe(first?.callId);
    const later = dials.filter((dial) => dial.gatedAt > loweredAt);
    expect(mostAtOnce(later)).toBe(2);
  });

  // Without a scheduler, only the change itself can wake the campaign.
  test('removing a pace releases waiting calls at once', async () => {
    const stack = await useStack({ backend, schedulers: 0 });
    const organization = await stack.organization();
    const { manager } = organization.clients;
    const campaign = await runCampaign(
      stack,
      organization,
      { phone_numbers: phoneNumbers(20) },
      // Usually the first is dialed at once. A busy machine may miss the slot, which is then 100 seconds later.
      { calls_per_second: 0.01 },
    );
    const waiting = await waitFor('the pace to hold it back', async () => {
      const dialing = await manager.readDialing(campaign.id);
      return dialing?.waitingFor === 'calls_per_second' && dialing;
    });
    expect(Number(waiting.nextDialAt)).toBeGreaterThan(Number(await stack.clock.now()));
    expect((await campaign.dials()).length).toBeLessThanOrEqual(1);
    await manager.setConfig(campaign.id, { calls_per_second: null });
    await campaign.dialed(20);
    await campaign.finished();
  });

  test('a weekend that is allowed now is dialed now', async () => {
    const stack = await useStack({ backend, startAt: '2027-03-06T12:00:00-05:00', schedulers: 0 });
    const organization = await stack.organization();
    const { manager } = organization.clients;
    const campaign = await runCampaign(stack, organization, { phone_numbers: phoneNumbers(1) });
    await untilAtRest(stack.db, campaign.id);
    expect(await manager.readDialing(campaign.id)).toEqual({
      waitingFor: 'window',
      nextDialAt: new Date('2027-03-08T00:00:00-05:00'),
    });
    await manager.setConfig(campaign.id, { call_on_weekend: true });
    await campaign.dialed(1);
  });
});

describe('the reason why a running campaign waits', () => {
  test('nothing, when it does not run', async () => {
    const stack = await useStack({ backend: anyBackend(), workers: 0, schedulers: 0 });
    const { clients, agentId } = await stack.organization();
    const { id } = await clients.member.createCampaign({
      name: 'Draft',
      agent_id: agentId,
      phone_numbers: phoneNumbers(1),
    });
    expect(await clients.viewer.readDialing(id)).toBeNull();
  });
});
