import { inTransaction, updateOrganization } from '@outdial/db';
import { describe, expect, test } from 'vitest';
import { giveConsent } from '../../support/give-consent.ts';
import { engineBackends } from '../../support/queues.ts';
import { runToEnd, untilAtRest } from '../../support/stack/campaign-watch.ts';
import type { TestOrganization } from '../../support/stack/organization.ts';
import type { Stack } from '../../support/stack/start-stack.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { runCampaign, type RunningCampaign } from './campaign.ts';

const [miami, louisville, berlin, freephone] = [
  '+13055550100',
  '+15025550100',
  '+493012345678',
  '+80012345600',
];

async function setPolicy(stack: Stack, { id }: TestOrganization, callingPolicy: 'strict' | 'none') {
  const now = await stack.clock.now();
  await inTransaction(stack.db, (tx) => updateOrganization(tx, id, { calling_policy: callingPolicy }, now));
  // Everyone has agreed, so only hours decide.
  if (callingPolicy === 'strict') await giveConsent(stack.db, id, [miami, louisville, berlin, freephone]);
}

async function dialsOf(campaign: RunningCampaign) {
  const dials = await campaign.dials();
  return Object.fromEntries(dials.map((dial) => [dial.phone, `${dial.gatedAt.toISOString().slice(0, 16)}Z`]));
}

/** A Tuesday, 07:00 in New York. */
const startAt = '2027-03-02T12:00:00Z';

describe.each(engineBackends())('an organization’s calling policy, queues on %s', (backend) => {
  test('under strict no person is dialed before the day begins at every place and clock that may be theirs', async () => {
    const stack = await useStack({ backend, startAt });
    const organization = await stack.organization();
    await setPolicy(stack, organization, 'strict');
    const campaign = await runCampaign(stack, organization, {
      phone_numbers: [miami, louisville, berlin, freephone],
      end_date: '2027-03-04T00:00:00Z',
      additional_params: { timezone: 'America/New_York' },
    });
    await untilAtRest(stack.db, campaign.id);
    expect(await organization.clients.manager.readDialing(campaign.id)).toMatchObject({
      waitingFor: 'calling_hours',
    });
    await runToEnd(stack.db, stack.clock, campaign.id);
    expect(await dialsOf(campaign)).toEqual({
      // Calling hours have begun in Germany.
      [berlin]: '2027-03-02T12:00Z',
      // 08:00 in Pensacola, the later of Florida's zones, because only the state is known.
      [miami]: '2027-03-02T14:00Z',
      // Calling hours in Kentucky begin at 10:00, and part of the state is in Central Time.
      [louisville]: '2027-03-02T16:00Z',
    });
  });

  test('a change of policy applies to waiting recipients, and its reversal restores the campaign’s own window', async () => {
    const stack = await useStack({ backend, startAt });
    const organization = await stack.organization();
    // The campaign's window does not open before 08:00 in New York.
    const campaign = await runCampaign(stack, organization, {
      phone_numbers: [miami, louisville],
      start_time: '08:00',
      end_time: '20:00',
      additional_params: { timezone: 'America/New_York' },
    });
    const waitsUntil = async (at: string) => {
      const dialing = () => organization.clients.manager.readDialing(campaign.id);
      await expect.poll(dialing).toMatchObject({ nextDialAt: new Date(at) });
    };
    await waitsUntil('2027-03-02T13:00:00Z');
    await setPolicy(stack, organization, 'strict');
    await waitsUntil('2027-03-02T14:00:00Z');
    await setPolicy(stack, organization, 'none');
    await waitsUntil('2027-03-02T13:00:00Z');
    await setPolicy(stack, organization, 'strict');
    await runToEnd(stack.db, stack.clock, campaign.id);
    expect(await dialsOf(campaign)).toEqual({
      [miami]: '2027-03-02T14:00Z',
      [louisville]: '2027-03-02T16:00Z',
    });
  });
});
