import type { CampaignConfigBody, CreateCampaignBody } from '@outdial/contracts';
import { DateTime } from 'luxon';
import { describe, expect, test } from 'vitest';
import { engineBackends } from '../../support/queues.ts';
import { recipientStates, runToEnd } from '../../support/stack/campaign-watch.ts';
import { recordedDials } from '../../support/stack/dials.ts';
import { useStack } from '../../support/stack/use-stack.ts';

const isBusy = '+15551230091';

/** Runs a campaign from Thursday 2027-03-04, 10:00 in New York, to its end. Returns its dials in New York time. */
async function dialsOf(
  backend: 'redis' | 'postgres',
  fields: Partial<CreateCampaignBody>,
  config: CampaignConfigBody,
): Promise<{ dials: string[]; states: Record<string, number> }> {
  const stack = await useStack({ backend, startAt: '2027-03-04T10:00:00-05:00' });
  const { clients, agentId } = await stack.organization();
  const { id } = await clients.manager.createCampaign({
    name: 'Rounds',
    agent_id: agentId,
    phone_numbers: [isBusy],
    ...fields,
  });
  await clients.manager.setConfig(id, { retry_delay_seconds: 1800, ...config });
  await clients.manager.setStatus(id, 'running');
  await runToEnd(stack.db, stack.clock, id);
  expect(await clients.viewer.readCampaign(id)).toMatchObject({ status: 'finished' });
  const dials = await recordedDials(stack.db, { campaignId: id });
  expect(dials.map((dial) => dial.attempt)).toEqual(dials.map((_, index) => index + 1));
  return {
    dials: dials.map(({ gatedAt }) =>
      DateTime.fromJSDate(gatedAt, { zone: 'America/New_York' }).toFormat('ccc dd HH:mm'),
    ),
    states: await recipientStates(stack.db, id),
  };
}

const office = { start_time: '09:00', end_time: '17:00' };

describe.each(engineBackends())('rounds of queue_again, queues on %s', (backend) => {
  test('one call-back: two attempts a day, none on the weekend, until end_date', async () => {
    const { dials, states } = await dialsOf(
      backend,
      { ...office, end_date: '2027-03-09' },
      { queue_again: true, call_back_attempts: 1 },
    );
    expect(dials).toEqual([
      'Thu 04 10:00',
      'Thu 04 10:30',
      'Fri 05 09:00',
      'Fri 05 09:30',
      'Mon 08 09:00',
      'Mon 08 09:30',
      'Tue 09 09:00',
      'Tue 09 09:30',
    ]);
    expect(states).toEqual({ done: 1 });
  });

  test('ten rounds without an end_date; in all-day windows at the time of the first attempt', async () => {
    const { dials } = await dialsOf(backend, {}, { queue_again: true });
    // On 14 March, clocks go forward. The wall clock decides.
    expect(dials).toEqual([
      'Thu 04 10:00',
      'Fri 05 10:00',
      'Mon 08 10:00',
      'Tue 09 10:00',
      'Wed 10 10:00',
      'Thu 11 10:00',
      'Fri 12 10:00',
      'Mon 15 10:00',
      'Tue 16 10:00',
      'Wed 17 10:00',
    ]);
  });

  test('at most max_attempts_per_recipient attempts over all rounds', async () => {
    const { dials } = await dialsOf(backend, office, {
      queue_again: true,
      call_back_attempts: 1,
      max_attempts_per_recipient: 3,
    });
    expect(dials).toEqual(['Thu 04 10:00', 'Thu 04 10:30', 'Fri 05 09:00']);
  });

  test('a call-back that the window moves to the next day is that day’s fresh round', async () => {
    const { dials } = await dialsOf(
      backend,
      { start_time: '09:00', end_time: '10:15', end_date: '2027-03-08' },
      { queue_again: true, call_back_attempts: 1 },
    );
    expect(dials).toEqual(['Thu 04 10:00', 'Fri 05 09:00', 'Fri 05 09:30', 'Mon 08 09:00', 'Mon 08 09:30']);
  });
});
