import { inTransaction, revokeConsent } from '@outdial/db';
import { giveConsent } from '../../support/give-consent.ts';
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

/** Whether the call to this number was withdrawn before it was dialed. */
export const isWithdrawn = (world: TwilioWorld, to: string) =>
  canceled(world).some((call) => call.form.get('To') === to && call.startTime === null);

/** Given an hour ago. Returns the id of the consent. */
export async function consentOf(world: TwilioWorld, phoneNumber: string): Promise<string> {
  const [consentId = ''] = await giveConsent(world.db, world.organization.id, [phoneNumber]);
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
