import type { CampaignConfigBody, CreateCampaignBody } from '@outdial/contracts';
import { describe, expect, test } from 'vitest';
import { engineBackends } from '../../support/queues.ts';
import { recipientStates, runToEnd } from '../../support/stack/campaign-watch.ts';
import { recordedDials } from '../../support/stack/dials.ts';
import type { Stack } from '../../support/stack/start-stack.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { runCampaign } from './campaign.ts';

/** Each other schedule and policy is tried by `simulated-campaign.test.ts`, and by the rules' own tests. */

const office = { start_time: '09:00', end_time: '17:00' };

/** Runs a campaign to its end. Returns its dials, with the minute of each. */
async function dialsOf(
  stack: Stack,
  fields: Partial<CreateCampaignBody> & { phone_numbers: string[] },
  config?: CampaignConfigBody,
) {
  const organization = await stack.organization();
  const { id } = await runCampaign(stack, organization, { ...office, ...fields }, config);
  await runToEnd(stack.db, stack.clock, id);
  expect(await organization.clients.viewer.readCampaign(id)).toMatchObject({ status: 'finished' });
  const dials = await recordedDials(stack.db, { campaignId: id });
  return { id, dials: dials.map((dial) => ({ ...dial, at: `${dial.gatedAt.toISOString().slice(0, 16)}Z` })) };
}

describe.each(engineBackends())('when a campaign dials, queues on %s', (backend) => {
  test('with a call-back and further rounds: two attempts a day, none on the weekend, until end_date', async () => {
    // A Thursday, at ten in New York.
    const stack = await useStack({ backend, startAt: '2027-03-04T10:00:00-05:00' });
    const { id, dials } = await dialsOf(
      stack,
      { phone_numbers: ['+15551230091'], end_date: '2027-03-09' },
      { queue_again: true, call_back_attempts: 1, retry_delay_seconds: 1_800 },
    );
    expect(dials.map(({ attempt, at }) => [attempt, at])).toEqual([
      [1, '2027-03-04T15:00Z'],
      [2, '2027-03-04T15:30Z'],
      [3, '2027-03-05T14:00Z'],
      [4, '2027-03-05T14:30Z'],
      [5, '2027-03-08T14:00Z'],
      [6, '2027-03-08T14:30Z'],
      [7, '2027-03-09T14:00Z'],
      [8, '2027-03-09T14:30Z'],
    ]);
    expect(await recipientStates(stack.db, id)).toEqual({ done: 1 });
  });

  test('each recipient is dialed by the clock of its own zone', async () => {
    const stack = await useStack({ backend, startAt: '2027-03-01T03:00:00Z' });
    const [newYork, berlin, tokyo] = ['+15551230000', '+4930123400', '+81312345600'];
    const { dials } = await dialsOf(stack, {
      phone_numbers: [newYork, berlin, tokyo],
      additional_params: {
        timezone: 'America/New_York',
        recipients: { [berlin]: { timezone: 'Europe/Berlin' }, [tokyo]: { timezone: 'Asia/Tokyo' } },
      },
    });
    // It is Monday noon in Tokyo, and still Sunday in New York. Each recipient's zone decides about the weekend.
    expect(dials.map(({ phone, at }) => [phone, at])).toEqual([
      [tokyo, '2027-03-01T03:00Z'],
      [berlin, '2027-03-01T08:00Z'],
      [newYork, '2027-03-01T14:00Z'],
    ]);
  });
});
