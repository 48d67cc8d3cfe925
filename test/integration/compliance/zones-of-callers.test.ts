import { inTransaction, rekeyBatch, updateOrganization } from '@outdial/db';
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
