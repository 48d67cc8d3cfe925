import { inTransaction, rekeyBatch, setPersonCaps, updateOrganization } from '@outdial/db';
import { expect, test } from 'vitest';
import { giveConsent } from '../../support/give-consent.ts';
import { useFileStack } from '../../support/stack/use-stack.ts';
import { noProcesses } from '../engine/by-hand.ts';
import { personUnder } from './person-under-policy.ts';

const berlin = '+493012345678';
/** A Tuesday, 13:00 in Berlin. */
const startAt = '2027-03-02T12:00:00Z';

const stack = await useFileStack(noProcesses);

async function world(policy: 'strict' | 'none') {
  const callBacks = { call_back_attempts: 5, retry_delay_seconds: 0 };
  const hand = await personUnder(stack, { phoneNumber: berlin, at: startAt, policy }, callBacks);
  await giveConsent(stack.db, hand.organization.id, [berlin]);
  return hand;
}

test('a policy allows three calls a day to a person, including earlier ones; without a policy the campaign decides', async () => {
  const hand = await world('none');
  const { campaignId, explain } = hand;
  const key = { organizationId: hand.organization.id, campaignId };
  const setPolicy = (policy: 'strict' | 'none') =>
    inTransaction(stack.db, async (tx) => {
      const now = await stack.clock.now();
      await updateOrganization(tx, key.organizationId, { calling_policy: policy }, now);
      await rekeyBatch(tx, key, { after: null, limit: 10, now });
    });
  for (let n = 0; n < 3; n++) await hand.end(await hand.dial(), 'busy');
  expect((await explain()).person).toBeNull();
  await setPolicy('strict');
  expect(await explain()).toMatchObject({
    person: {
      calls: [
        { calls: 3, hours: 24, made: 3 },
        { calls: 7, hours: 168, made: 3 },
      ],
      gap_seconds: 14_400,
      after_conversation_hours: 168,
    },
    conditions: expect.arrayContaining([
      expect.objectContaining({ condition: 'person_capped', verdict: 'fails' }),
    ]) as unknown,
  });
  expect(await hand.dialAll()).toEqual([]);
  expect(await hand.recipient()).toMatchObject({ deferred_for: 'person_cap' });
  await setPolicy('none');
  expect(await hand.dialAll()).toHaveLength(1);
});

test("an operator's caps, or their absence, take precedence over the defaults of a policy", async () => {
  const { organization, explain } = await world('strict');
  await setPersonCaps(stack.db, {
    organizationId: organization.id,
    change: { calls: [{ calls: 9, hours: 24 }], gap_seconds: null },
    now: await stack.clock.now(),
  });
  expect((await explain()).person).toEqual({
    calls: [{ calls: 9, hours: 24, made: 0 }],
    gap_seconds: null,
    after_conversation_hours: 168,
    last_call_at: null,
    conversation_at: null,
  });
});
