import { expect, test } from 'vitest';
import { addConfirmedCallerId } from '../../support/confirmed-caller-id.ts';
import { useFileStack } from '../../support/stack/use-stack.ts';
import { byHand, noProcesses } from '../engine/by-hand.ts';

const stack = await useFileStack(noProcesses);

test('an explanation says that a recipient would not be dialed if no caller id fits, and why', async () => {
  const organization = await stack.organization();
  const hand = await byHand(
    stack,
    organization,
    {},
    { phone_numbers: ['+493012345678', '+12125550123'], start_time: '00:00', end_time: '23:59' },
  );
  const explain = async (phone: string) =>
    hand.manager.explainRecipient(hand.campaignId, (await hand.recipient(phone)).id);
  const judged = (verdict: string) =>
    expect.arrayContaining([expect.objectContaining({ condition: 'no_caller_id', verdict })]) as unknown;
  // Without caller ids, calls come from the agent's number.
  expect(await explain('+493012345678')).toMatchObject({
    decision: 'would_dial',
    conditions: judged('not_applicable'),
  });
  await addConfirmedCallerId(stack.db, organization.id, { phone_number: '+12125550199', calls_per_day: 1 });
  expect(await explain('+493012345678')).toMatchObject({
    decision: 'would_refuse',
    refused_by: 'no_caller_id',
    conditions: judged('fails'),
  });
  expect(await explain('+12125550123')).toMatchObject({
    decision: 'would_dial',
    conditions: judged('holds'),
  });
  await hand.end(await hand.dial('+12125550123'), 'busy');
  // It has no call left today.
  expect((await explain('+12125550123')).conditions).toEqual(judged('fails'));
});
