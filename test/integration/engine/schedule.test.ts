import { describe, expect, test } from 'vitest';
import { engineBackends } from '../../support/queues.ts';
import { runToEnd } from '../../support/stack/campaign-watch.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { runCampaign } from './campaign.ts';

/** Each other schedule and policy is tried by `simulated-campaign.test.ts`, and by the rules' own tests. */
describe.each(engineBackends())('when a campaign dials, queues on %s', (backend) => {
  test('each recipient is dialed by the clock of its own zone', async () => {
    const stack = await useStack({ backend, startAt: '2027-03-01T03:00:00Z' });
    const [newYork, berlin, tokyo] = ['+15551230000', '+4930123400', '+81312345600'];
    const campaign = await runCampaign(stack, await stack.organization(), {
      phone_numbers: [newYork, berlin, tokyo],
      start_time: '09:00',
      end_time: '17:00',
      additional_params: {
        timezone: 'America/New_York',
        recipients: { [berlin]: { timezone: 'Europe/Berlin' }, [tokyo]: { timezone: 'Asia/Tokyo' } },
      },
    });
    await runToEnd(stack.db, stack.clock, campaign.id);
    const dials = await campaign.dials();
    // It is Monday noon in Tokyo, and still Sunday in New York. Each recipient's zone decides about the weekend.
    expect(dials.map(({ phone, gatedAt }) => [phone, gatedAt.toISOString().slice(0, 16)])).toEqual([
      [tokyo, '2027-03-01T03:00'],
      [berlin, '2027-03-01T08:00'],
      [newYork, '2027-03-01T14:00'],
    ]);
  });
});
