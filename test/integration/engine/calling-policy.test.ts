import { findCallingPolicy, inTransaction, updateOrganization } from '@outdial/db';
import { describe, expect, test } from 'vitest';
import { giveConsent } from '../../support/give-consent.ts';
import { engineBackends } from '../../support/queues.ts';
import { runToEnd, untilAtRest } from '../../support/stack/campaign-watch.ts';
import { recordedDials } from '../../support/stack/dials.ts';
import type { TestOrganization } from '../../support/stack/organization.ts';
import type { Stack } from '../../support/stack/start-stack.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { runCampaign } from './campaign.ts';

const [miami, louisville, berlin, freephone] = [
  '+13055550100',
  '+15025550100',
  '+493012345678',
  '+80012345600',
];

async function setPolicy(
  stack: Stack,
  { id }: TestOrganization,
  callingPolicy: 'strict' | 'standard' | 'none',
) {
  const now = await stack.clock.now();
  await inTransaction(stack.db, (tx) => updateOrganization(tx, id, { calling_policy: callingPolicy }, now));
  // Everyone has agreed, so only hours decide.
  if (callingPolicy === 'strict') await giveConsent(stack.db, id, [miami, louisville, berlin, freephone]);
}

async function dialsOf(stack: Stack, campaignId: string) {
  const dials = await recordedDials(stack.db, { campaignId });
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
    expect(await dialsOf(stack, campaign.id)).toEqual({
      // Calling hours have begun in Germany.
      [berlin]: '2027-03-02T12:00Z',
      // 08:00 in Pensacola, the later of Florida's zones, because only the state is known.
      [miami]: '2027-03-02T14:00Z',
      // Calling hours in Kentucky begin at 10:00, and part of the state is in Central Time.
      [louisville]: '2027-03-02T16:00Z',
    });
  });

  test('the location that a caller names counts beside that of the number, and UTC is none', async () => {
    const stack = await useStack({ backend, startAt });
    const organization = await stack.organization();
    await setPolicy(stack, organization, 'strict');
    const campaign = await runCampaign(stack, organization, {
      phone_numbers: [miami, louisville],
      additional_params: {
        recipients: {
          [miami]: { region: 'US-CA' },
          [louisville]: { timezone: 'UTC' },
        },
      },
    });
    await runToEnd(stack.db, stack.clock, campaign.id);
    expect(await dialsOf(stack, campaign.id)).toEqual({
      // Calling hours in California begin at 09:00 of Pacific Time.
      [miami]: '2027-03-02T17:00Z',
      [louisville]: '2027-03-02T16:00Z',
    });
  });

  test('a change of policy applies to every later dial, and to waiting recipients', async () => {
    const stack = await useStack({ backend, startAt });
    const organization = await stack.organization();
    const { manager } = organization.clients;
    // The campaign's window does not open before 08:00 in New York.
    const campaign = await runCampaign(stack, organization, {
      phone_numbers: [miami, louisville],
      start_time: '08:00',
      end_time: '20:00',
      additional_params: { timezone: 'America/New_York' },
    });
    await untilAtRest(stack.db, campaign.id);
    expect(await manager.readDialing(campaign.id)).toMatchObject({
      nextDialAt: new Date('2027-03-02T13:00:00Z'),
    });
    await setPolicy(stack, organization, 'strict');
    expect(await findCallingPolicy(stack.db, organization.id)).toBe('strict');
    await waitFor('the keys to be made again', async () => {
      const dialing = await manager.readDialing(campaign.id);
      return Number(dialing?.nextDialAt) === Date.parse('2027-03-02T14:00:00Z');
    });
    await runToEnd(stack.db, stack.clock, campaign.id);
    expect(await dialsOf(stack, campaign.id)).toEqual({
      [miami]: '2027-03-02T14:00Z',
      [louisville]: '2027-03-02T16:00Z',
    });
  });

  test('reverting a policy restores the campaign’s own window', async () => {
    const stack = await useStack({ backend, startAt });
    const organization = await stack.organization();
    await setPolicy(stack, organization, 'strict');
    const campaign = await runCampaign(stack, organization, {
      phone_numbers: [miami, louisville],
      additional_params: { timezone: 'America/New_York' },
    });
    await untilAtRest(stack.db, campaign.id);
    expect(await dialsOf(stack, campaign.id)).toEqual({});
    await setPolicy(stack, organization, 'none');
    await campaign.dialed(2);
    expect(await dialsOf(stack, campaign.id)).toEqual({
      [miami]: '2027-03-02T12:00Z',
      [louisville]: '2027-03-02T12:00Z',
    });
  });
});
