import { addSuppressions } from '@outdial/db';
import { describe, expect, test } from 'vitest';
import { engineBackends } from '../../support/queues.ts';
import { linesInUse, recipientStates, runToEnd, untilAtRest } from '../../support/stack/campaign-watch.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { callsOver, phoneNumbers, recipientsOf, runCampaign } from './campaign.ts';

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

  test.each(['canceled', 'finished'] as const)(
    '%s: changes the status at once, withdraws recipients, and lets calls in progress end without retries',
    async (status) => {
      const stack = await useStack({ backend, simulator: { ringMs: 60_000 } });
      const organization = await stack.organization();
      const { manager } = organization.clients;
      const [busyLater = ''] = phoneNumbers(1, '92', '557');
      const [first = '', ...rest] = phoneNumbers(20);
      const campaign = await runCampaign(
        stack,
        organization,
        { phone_numbers: [first, busyLater, ...rest] },
        { max_concurrent_calls: 2, call_back_attempts: 2, retry_delay_seconds: 0 },
      );
      await campaign.dialed(2);
      expect((await manager.setStatus(campaign.id, status)).status).toBe(status);
      await stack.clock.advance(61_000);
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
      expect((await manager.readCampaign(campaign.id)).status).toBe(status);
    },
  );

  test('end_date passes: finished, the rest withdrawn, no recipient retried; and it cannot run again', async () => {
    const stack = await useStack({ backend, simulator: { ringMs: 60_000 } });
    const organization = await stack.organization();
    const { manager } = organization.clients;
    const numbers = phoneNumbers(5, '92');
    const campaign = await runCampaign(
      stack,
      organization,
      { phone_numbers: numbers, end_date: '2027-03-01T10:00:00' },
      { max_concurrent_calls: 2, call_back_attempts: 2 },
    );
    await campaign.dialed(2);
    await stack.clock.set('2027-03-01T10:00:00-05:00');
    await campaign.finished();
    await callsOver(stack);
    await waitFor('the rest to be withdrawn', async () => {
      const states = await recipientStates(stack.db, campaign.id);
      return states['withdrawn'] === 3 && states['done'] === 2;
    });
    expect(await campaign.dials()).toHaveLength(2);
    expect(await linesInUse(stack.db)).toBe(0);
    await expect(manager.setStatus(campaign.id, 'running')).rejects.toMatchObject({ status: 409 });

    const over = await manager.createCampaign({
      name: 'Over',
      agent_id: organization.agentId,
      phone_numbers: numbers,
      start_date: '2027-02-01',
      end_date: '2027-02-28',
    });
    await expect(manager.setStatus(over.id, 'running')).rejects.toMatchObject({
      status: 409,
      code: 'campaign_over',
    });
    expect((await manager.readCampaign(over.id)).status).toBe('draft');
  });

  test('suppression: a number that is put on the list while the campaign runs is not dialed', async () => {
    const stack = await useStack({ backend, simulator: { talkMs: 300_000 } });
    const organization = await stack.organization();
    const numbers = phoneNumbers(4);
    const [, , suppressed = ''] = numbers;
    const campaign = await runCampaign(
      stack,
      organization,
      { phone_numbers: numbers },
      { max_concurrent_calls: 1 },
    );
    await campaign.dialed(1);
    await addSuppressions(stack.db, {
      organizationId: organization.id,
      suppressions: [{ phoneNumber: suppressed, reason: 'asked not to be called' }],
    });
    await runToEnd(stack.db, stack.clock, campaign.id);
    expect((await campaign.dials()).map((dial) => dial.phone)).toEqual(
      numbers.filter((number) => number !== suppressed),
    );
    expect((await recipientsOf(stack, campaign.id))[suppressed]).toEqual({
      state: 'suppressed',
      attempts: 0,
      outcome: null,
    });
    expect(await linesInUse(stack.db)).toBe(0);
    await expect(
      organization.clients.member.makeCall(organization.agentId, { to_phone: suppressed }),
    ).rejects.toMatchObject({ status: 409, code: 'number_suppressed' });
  });

  test('an update of a paused campaign: numbers stay, leave and come back with their history', async () => {
    const stack = await useStack({ backend, simulator: { talkMs: 60_000 } });
    const organization = await stack.organization();
    const { manager } = organization.clients;
    const [busy, talks, joins] = ['+15552000091', '+15552000094', '+15552000000'];
    const campaign = await runCampaign(
      stack,
      organization,
      { phone_numbers: [busy, talks] },
      { call_back_attempts: 2, retry_delay_seconds: 3600 },
    );
    await waitFor('one busy, one talking', async () => {
      const recipients = await recipientsOf(stack, campaign.id);
      return recipients[busy]?.state === 'pending' && recipients[talks]?.state === 'dialing';
    });
    await expect(manager.updateCampaign(campaign.id, { phone_numbers: [busy] })).rejects.toMatchObject({
      status: 409,
      code: 'campaign_not_paused',
    });
    await manager.setStatus(campaign.id, 'paused');
    const updated = await manager.updateCampaign(campaign.id, { phone_numbers: [busy, joins] });
    expect(updated.phone_numbers).toEqual([busy, joins]);
    await stack.clock.advance(61_000);
    await callsOver(stack);
    // The call was live when its recipient was withdrawn. The recipient stays withdrawn, and the call's end is recorded.
    expect((await recipientsOf(stack, campaign.id))[talks]).toEqual({
      state: 'withdrawn',
      attempts: 1,
      outcome: 'voicemail',
    });
    expect((await manager.updateCampaign(campaign.id, { phone_numbers: [joins] })).phone_numbers).toEqual([
      joins,
    ]);
    expect((await recipientsOf(stack, campaign.id))[busy]).toMatchObject({ state: 'withdrawn', attempts: 1 });
    await manager.updateCampaign(campaign.id, { phone_numbers: [busy, joins] });
    expect(await recipientsOf(stack, campaign.id)).toMatchObject({
      [busy]: { state: 'pending', attempts: 1 },
      [talks]: { state: 'withdrawn', attempts: 1 },
      [joins]: { state: 'pending', attempts: 0 },
    });
    await manager.setStatus(campaign.id, 'running');
    await campaign.dialed(3);
    await runToEnd(stack.db, stack.clock, campaign.id);
    const dials = await campaign.dials();
    expect(dials.slice(2).map((dial) => [dial.phone, dial.attempt])).toEqual([
      [joins, 1],
      [busy, 2],
      [busy, 3],
    ]);
    // Leaving and returning does not shorten the delay.
    const [one, two] = dials.filter((dial) => dial.phone === busy);
    expect(Number(two?.gatedAt) - Number(one?.gatedAt)).toBeGreaterThanOrEqual(3600_000);
  });
});
