import type { CampaignConfigBody, CreateCampaignBody } from '@outdial/contracts';
import { DateTime } from 'luxon';
import { describe, expect, test } from 'vitest';
import { engineBackends } from '../../support/queues.ts';
import { runToEnd, untilAtRest } from '../../support/stack/campaign-watch.ts';
import { recordedDials } from '../../support/stack/dials.ts';
import type { OutdialClient } from '../../support/stack/http-client.ts';
import type { Stack } from '../../support/stack/start-stack.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { useStack } from '../../support/stack/use-stack.ts';

const newYork = 'America/New_York';
const answers = '+15551230000';
const isBusy = '+15551230091';

interface ScheduledCampaign {
  id: string;
  client: OutdialClient;
  toEnd(): Promise<unknown>;
  /** The gate instants of the dials, on the wall clock of a zone. */
  dialsOnClock(zone?: string): Promise<string[]>;
}

/** Creates and starts a campaign. Returns a reader of its dials on a wall clock. */
async function runCampaign(
  stack: Stack,
  fields: Partial<CreateCampaignBody>,
  config?: CampaignConfigBody,
): Promise<ScheduledCampaign> {
  const { clients, agentId } = await stack.organization();
  const { id } = await clients.manager.createCampaign({
    name: 'Scheduled',
    agent_id: agentId,
    phone_numbers: [answers],
    ...fields,
  });
  if (config) await clients.manager.setConfig(id, config);
  await clients.manager.setStatus(id, 'running');
  return {
    id,
    client: clients.manager,
    toEnd: () => runToEnd(stack.db, stack.clock, id),
    async dialsOnClock(zone = newYork) {
      const dials = await recordedDials(stack.db, { campaignId: id });
      return dials.map((dial) => DateTime.fromJSDate(dial.gatedAt, { zone }).toFormat('ccc dd HH:mm'));
    },
  };
}

/** A number with these last two digits. There are a hundred of each kind. */
const numbers = (count: number, digits: string) =>
  Array.from({ length: count }, (_, index) => `+1555124${String(index).padStart(2, '0')}${digits}`);

describe.each(engineBackends())('when a campaign dials, queues on %s', (backend) => {
  test('without a config: one attempt each, and none on a weekend of its zone', async () => {
    // Saturday, 00:30 in Berlin; in New York it is still Friday.
    const stack = await useStack({ backend, startAt: '2027-03-06T00:30:00+01:00' });
    const campaign = await runCampaign(stack, {
      phone_numbers: [answers, isBusy],
      additional_params: { timezone: 'Europe/Berlin' },
    });
    expect((await untilAtRest(stack.db, campaign.id)).waitingFor).toBe('window');
    await campaign.toEnd();
    expect(await campaign.dialsOnClock('Europe/Berlin')).toEqual(['Mon 08 00:00', 'Mon 08 00:00']);
  });

  test('a window that closes in mid-campaign, and opens again the next day', async () => {
    const stack = await useStack({
      backend,
      startAt: '2027-03-01T16:59:00-05:00',
      simulator: { talkMs: 30_000 },
    });
    const campaign = await runCampaign(
      stack,
      { phone_numbers: numbers(6, '00'), start_time: '09:00', end_time: '17:00' },
      { max_concurrent_calls: 1 },
    );
    const dialed = (count: number) =>
      waitFor(`${count} dials`, async () => (await campaign.dialsOnClock()).length === count);
    await dialed(1);
    await stack.clock.advance(30_000);
    await dialed(2);
    await stack.clock.advance(60_000);
    const closed = await waitFor('the window to close', async () => {
      const dialing = await campaign.client.readDialing(campaign.id);
      return dialing?.waitingFor === 'window' && dialing;
    });
    expect(closed.nextDialAt).toEqual(new Date('2027-03-02T09:00:00-05:00'));
    await campaign.toEnd();
    const dials = await campaign.dialsOnClock();
    expect(dials.slice(0, 2)).toEqual(['Mon 01 16:59', 'Mon 01 16:59']);
    expect(dials).toHaveLength(6);
    for (const dial of dials.slice(2)) expect(dial).toMatch(/^Tue 02 09:0[0-3]$/);
  });

  test('a window across midnight: its days end in the morning, and its weekend at midnight', async () => {
    const stack = await useStack({ backend, startAt: '2027-03-04T12:00:00-05:00' });
    const campaign = await runCampaign(
      stack,
      { phone_numbers: [isBusy], start_time: '22:00', end_time: '02:00', end_date: '2027-03-09T12:00:00' },
      { call_back_attempts: 1, retry_delay_seconds: 3 * 3600, queue_again: true },
    );
    await campaign.toEnd();
    expect(await campaign.dialsOnClock()).toEqual([
      // Thursday's call-back falls into the same window.
      'Thu 04 22:00',
      'Fri 05 01:00',
      // Friday's would fall on Saturday, so it comes after the weekend, in the rest of Sunday's window.
      'Fri 05 22:00',
      'Mon 08 00:00',
      'Mon 08 22:00',
      'Tue 09 01:00',
    ]);
  });

  test('each recipient is dialed by the clock of its own zone', async () => {
    const stack = await useStack({ backend, startAt: '2027-03-01T03:00:00Z' });
    const [berlin, tokyo] = ['+4930123400', '+81312345600'];
    const campaign = await runCampaign(stack, {
      phone_numbers: [answers, berlin, tokyo],
      start_time: '09:00',
      end_time: '17:00',
      additional_params: {
        timezone: newYork,
        recipients: { [berlin]: { timezone: 'Europe/Berlin' }, [tokyo]: { timezone: 'Asia/Tokyo' } },
      },
    });
    await campaign.toEnd();
    const dials = await recordedDials(stack.db, { campaignId: campaign.id });
    const minute = (at: Date) => `${at.toISOString().slice(0, 16)}Z`;
    // It is Monday noon in Tokyo, and still Sunday in New York. Each recipient's zone decides about the weekend.
    expect(dials.map((dial) => [dial.phone, minute(dial.gatedAt)])).toEqual([
      [tokyo, '2027-03-01T03:00Z'],
      [berlin, '2027-03-01T08:00Z'],
      [answers, '2027-03-01T14:00Z'],
    ]);
  });

  test.each([
    // The hour from two to three does not exist on 14 March.
    {
      zone: newYork,
      startAt: '2027-03-13T12:00:00-05:00',
      start_time: '02:30',
      end_time: '03:30',
      instants: ['2027-03-14T07:00Z', '2027-03-15T06:30Z'],
    },
    // The hour from one to two occurs twice on 7 November; the window is open in both.
    {
      zone: newYork,
      startAt: '2027-11-06T12:00:00-04:00',
      start_time: '01:30',
      end_time: '02:00',
      instants: ['2027-11-07T05:30Z', '2027-11-07T06:30Z', '2027-11-08T06:30Z'],
    },
  ])(
    'the clock change in $zone after $startAt',
    async ({ zone, startAt, start_time, end_time, instants }) => {
      const stack = await useStack({ backend, startAt });
      // The call-back comes fifty minutes after the first dial: in the repeated hour, or else in the next day's window.
      const campaign = await runCampaign(
        stack,
        { phone_numbers: [isBusy], start_time, end_time, additional_params: { timezone: zone } },
        { call_on_weekend: true, call_back_attempts: instants.length - 1, retry_delay_seconds: 50 * 60 },
      );
      await campaign.toEnd();
      const dials = await recordedDials(stack.db, { campaignId: campaign.id });
      expect(dials.map((dial) => `${dial.gatedAt.toISOString().slice(0, 16)}Z`)).toEqual(instants);
    },
  );
});
