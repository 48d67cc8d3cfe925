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
});
