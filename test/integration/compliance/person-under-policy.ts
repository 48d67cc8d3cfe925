import type { CampaignConfigBody } from '@outdial/contracts';
import type { CallingPolicy } from '@outdial/core';
import { inTransaction, updateOrganization } from '@outdial/db';
import type { Stack } from '../../support/stack/start-stack.ts';
import { byHand } from '../engine/by-hand.ts';

/** A person in a campaign that may dial all day, of an organization under a policy. */
export async function personUnder(
  stack: Stack,
  { phoneNumber, at, policy }: { phoneNumber: string; at: string; policy: CallingPolicy },
  config: CampaignConfigBody = {},
) {
  await stack.clock.set(at);
  const organization = await stack.organization();
  const now = await stack.clock.now();
  await inTransaction(stack.db, (tx) =>
    updateOrganization(tx, organization.id, { calling_policy: policy }, now),
  );
  const hand = await byHand(
    stack,
    organization,
    { call_on_weekend: true, ...config },
    { phone_numbers: [phoneNumber], start_time: '00:00', end_time: '23:59' },
  );
  const explain = async () => hand.manager.explainRecipient(hand.campaignId, (await hand.recipient()).id);
  return { ...hand, explain };
}
