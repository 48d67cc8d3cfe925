import type { CampaignPurpose } from '@outdial/core';
import { addConsents, inTransaction, revokeConsent } from '@outdial/db';
import { waitFor } from '../../support/stack/wait-for.ts';
import type { TwilioWorld } from './twilio-world.ts';

export async function callsOf(world: TwilioWorld, campaignId: string) {
  return world.db.selectFrom('calls').selectAll().where('campaign_id', '=', campaignId).execute();
}

export async function recipientsOf(world: TwilioWorld, campaignId: string) {
  return world.db
    .selectFrom('campaign_recipients')
    .select(['state', 'attempts', 'round_attempts', 'next_attempt_at', 'last_outcome'])
    .where('campaign_id', '=', campaignId)
    .execute();
}

/** A campaign whose calls Twilio has accepted, but not dialed. */
export async function queuedCampaign(world: TwilioWorld, of: readonly string[]): Promise<string> {
  const campaignId = await world.campaign(of);
  await untilQueued(world, campaignId, of.length);
  return campaignId;
}

export async function untilQueued(world: TwilioWorld, campaignId: string, count: number): Promise<void> {
  await waitFor('queued at Twilio', async () => {
    const calls = await callsOf(world, campaignId);
    return calls.length === count && calls.every((call) => call.accepted_at !== null);
  });
}

export async function untilUndone(world: TwilioWorld, campaignId: string): Promise<void> {
  await waitFor('the attempt is undone', async () => (await callsOf(world, campaignId)).length === 0);
}

export const dialed = (world: TwilioWorld) =>
  [...world.twilio.calls.values()].filter((call) => call.startTime !== null);
export const canceled = (world: TwilioWorld) =>
  [...world.twilio.calls.values()].filter((call) => call.status === 'canceled');

export async function giveConsent(
  world: TwilioWorld,
  phoneNumber: string,
  scope: CampaignPurpose[] | null = null,
): Promise<string> {
  const [consentId = ''] = await addConsents(world.db, {
    organizationId: world.organization.id,
    createdBy: null,
    consents: [
      {
        phoneNumber,
        basis: 'prior_express_written',
        scope,
        textShown: null,
        source: 'a form',
        evidenceHash: null,
        givenAt: new Date(Date.now() - 86_400_000),
        expiresAt: null,
      },
    ],
  });
  return consentId;
}

export async function revoke(world: TwilioWorld, consentIds: readonly string[]): Promise<void> {
  const organizationId = world.organization.id;
  await inTransaction(world.db, async (tx) => {
    for (const consentId of consentIds) {
      await revokeConsent(tx, { organizationId, consentId, reason: null, revokedBy: null });
    }
  });
}
