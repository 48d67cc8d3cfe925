import { type CallingPolicy, policyOfKey } from '@outdial/core';
import { findCampaignsToKey, inTransaction, rekeyBatch, updateOrganization } from '@outdial/db';
import { rekeyRecipients } from '@outdial/engine';
import { expect, test } from 'vitest';
import { campaignByHand } from '../engine/by-hand.ts';

const zone = 'America/Los_Angeles';
const newYorker = '+12125550142';

test('a zone given for a person counts under a later policy, even if it is that of the campaign', async () => {
  const hand = await campaignByHand(
    {},
    {
      phone_numbers: [newYorker],
      additional_params: { timezone: zone, recipients: { [newYorker]: { timezone: zone } } },
    },
  );
  const { stack, campaignId } = hand;
  const { organization_id: organizationId } = await hand.recipient();
  const now = await stack.clock.now();
  await inTransaction(stack.db, (tx) =>
    updateOrganization(tx, organizationId, { calling_policy: 'strict' }, now),
  );
  await inTransaction(stack.db, (tx) =>
    rekeyBatch(tx, { organizationId, campaignId }, { after: null, limit: 10, now }),
  );
  const { calling_key: callingKey, place } = await hand.recipient();
  expect(place).toEqual({ timezone: zone });
  expect(callingKey).toBe(`strict:US-*@${zone},US-NY,US-NY@${zone}`);
});

test('a new zone of the campaign does not change the places of its people', async () => {
  const other = '+12125550143';
  const hand = await campaignByHand(
    {},
    {
      phone_numbers: [other, '+12125550144'],
      additional_params: { timezone: zone, recipients: { [other]: { timezone: zone } } },
    },
  );
  const { manager, campaignId } = hand;
  const known = { region: 'US-WA', timezone: zone, prompt_params: { name: 'Ada' } };
  await manager.addRecipients(campaignId, [{ phone_number: newYorker, ...known }]);
  await manager.setStatus(campaignId, 'paused');
  await manager.updateCampaign(campaignId, {
    additional_params: { timezone: 'America/Chicago', recipients: { [other]: { timezone: zone } } },
  });
  expect(await hand.recipient(newYorker)).toMatchObject({
    calling_key: zone,
    place: { region: 'US-WA', timezone: zone },
    prompt_params: { name: 'Ada' },
  });
  expect(await hand.recipient(other)).toMatchObject({ calling_key: zone });
  expect(await hand.recipient('+12125550144')).toMatchObject({ calling_key: 'America/Chicago' });
  const { calling_keys: keys } = await hand.stack.db
    .selectFrom('campaigns')
    .select('calling_keys')
    .where('id', '=', campaignId)
    .executeTakeFirstOrThrow();
  expect(keys).toEqual(['America/Chicago', zone]);
});

test.each([
  { changes: ['standard', 'none'], movesOn: false },
  // The position that a scheduler reached may be that of an earlier policy.
  { changes: ['standard', 'none'], movesOn: true },
  { changes: ['standard', 'strict'], movesOn: true },
] as const)(
  'a policy that changes while keys are recomputed applies to all people: $changes, from the start or not: $movesOn',
  async ({ changes: [first, last], movesOn }) => {
    const hand = await campaignByHand({}, { phone_numbers: [newYorker, '+12125550143', '+12125550144'] });
    const { stack, campaignId } = hand;
    const { organization_id: organizationId } = await hand.recipient();
    const key = { organizationId, campaignId };
    const now = await stack.clock.now();
    const set = (policy: CallingPolicy) =>
      inTransaction(stack.db, (tx) =>
        updateOrganization(tx, organizationId, { calling_policy: policy }, now),
      );
    const batch = (after: string | null) =>
      inTransaction(stack.db, (tx) => rekeyBatch(tx, key, { after, limit: 1, now }));
    await set(first);
    const reached = await batch(null);
    expect(reached).not.toBeNull();
    await set(last);
    if (movesOn) for (let after = reached; after !== null;) after = await batch(after);
    else await rekeyRecipients(stack.control);
    const rows = await stack.db
      .selectFrom('campaign_recipients')
      .select('calling_key')
      .where('campaign_id', '=', campaignId)
      .execute();
    expect(rows.map((row) => policyOfKey(row.calling_key))).toEqual([last, last, last]);
    expect(await findCampaignsToKey(stack.db, 10)).toEqual([]);
  },
);
