import { describe, expect, test } from 'vitest';
import { engineBackends } from '../../support/queues.ts';
import { linesInUse, recipientStates, runToEnd, untilAtRest } from '../../support/stack/campaign-watch.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { callsOver, phoneNumbers, runCampaign } from './campaign.ts';

describe.each(engineBackends())('who stops and starts a campaign, queues on %s', (backend) => {
  test('pause: no gate opens after it, calls in progress continue, and call-backs follow after the resume', async () => {
    const stack = await useStack({ backend, simulator: { ringMs: 60_000 } });
    const organization = await stack.organization();
    const { manager } = organization.clients;
    const [first = '', second = ''] = phoneNumbers(2, '92');
    const rest = phoneNumbers(6, '00', '556');
    const campaign = await runCampaign(
      stack,
      organization,
      { phone_numbers: [first, second, ...rest] },
      { max_concurrent_calls: 2, call_back_attempts: 2, retry_delay_seconds: 0 },
    );
    await campaign.dialed(2);
    expect((await manager.setStatus(campaign.id, 'paused')).status).toBe('paused');
    const pausedAt = await stack.clock.now();
    await stack.clock.advance(61_000);
    await callsOver(stack);
    const dials = await campaign.dials();
    expect(dials.filter((dial) => dial.gatedAt > pausedAt)).toEqual([]);
    expect(dials.map((dial) => `${dial.phone} ${dial.outcome}`).toSorted()).toEqual([
      `${first} no_answer`,
      `${second} no_answer`,
    ]);
    expect(await recipientStates(stack.db, campaign.id)).toEqual({ pending: 8 });
    expect(await linesInUse(stack.db)).toBe(0);

    await manager.setStatus(campaign.id, 'running');
    await campaign.dialed(3);
    await runToEnd(stack.db, stack.clock, campaign.id);
    expect((await campaign.dials()).map((dial) => dial.phone).toSorted()).toEqual(
      [first, first, first, second, second, second, ...rest].toSorted(),
    );
  });

  test('a resume wakes its campaign itself, without a scheduler', async () => {
    const stack = await useStack({ backend, schedulers: 0 });
    const organization = await stack.organization();
    const { manager } = organization.clients;
    const campaign = await runCampaign(
      stack,
      organization,
      { phone_numbers: phoneNumbers(1, '91') },
      { call_back_attempts: 1, retry_delay_seconds: 100 },
    );
    await campaign.dialed(1);
    expect((await untilAtRest(stack.db, campaign.id)).waitingFor).toBe('retry');
    await manager.setStatus(campaign.id, 'paused');
    await stack.clock.advance(100_000);
    await manager.setStatus(campaign.id, 'running');
    expect(await campaign.dialed(2)).toHaveLength(2);
    await campaign.finished();
  });

  test.each(['canceled', 'finished', 'end_date'] as const)(
    '%s: changes the status at once, withdraws recipients, and lets calls in progress end without retries',
    async (by) => {
      const stack = await useStack({ backend, simulator: { ringMs: 60_000 } });
      const organization = await stack.organization();
      const { manager } = organization.clients;
      const [busyLater = ''] = phoneNumbers(1, '92', '557');
      const [first = '', ...rest] = phoneNumbers(20);
      const campaign = await runCampaign(
        stack,
        organization,
        { phone_numbers: [first, busyLater, ...rest], end_date: '2027-03-01T10:00:00' },
        { max_concurrent_calls: 2, call_back_attempts: 2, retry_delay_seconds: 0 },
      );
      await campaign.dialed(2);
      if (by === 'end_date') {
        await stack.clock.set('2027-03-01T10:00:00-05:00');
        await campaign.finished();
      } else {
        await manager.setStatus(campaign.id, by);
        await stack.clock.advance(61_000);
      }
      await callsOver(stack);
      await waitFor('the rest to be withdrawn', async () => {
        const states = await recipientStates(stack.db, campaign.id);
        return states['withdrawn'] === rest.length;
      });
      const dials = await campaign.dials();
      expect(dials.map((dial) => `${dial.phone} ${dial.outcome}`).toSorted()).toEqual([
        `${first} completed`,
        `${busyLater} no_answer`,
      ]);
      expect(await recipientStates(stack.db, campaign.id)).toEqual({ done: 2, withdrawn: rest.length });
      expect(await linesInUse(stack.db)).toBe(0);
      const { status } = await manager.readCampaign(campaign.id);
      expect(status).toBe(by === 'end_date' ? 'finished' : by);
      await expect(manager.setStatus(campaign.id, 'running')).rejects.toMatchObject({ status: 409 });
    },
  );
});
