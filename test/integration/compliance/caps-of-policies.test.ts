import { inTransaction, rekeyBatch, setPersonCaps, updateOrganization } from '@outdial/db';
import { expect, test } from 'vitest';
import { giveConsent } from '../../support/give-consent.ts';
import { useFileStack } from '../../support/stack/use-stack.ts';
import { campaignByHand, noProcesses } from '../engine/by-hand.ts';

const berlin = '+493012345678';
/** A Tuesday, 13:00 in Berlin. */
const startAt = '2027-03-02T12:00:00Z';

const stack = await useFileStack(noProcesses);

async function world() {
  const hand = await campaignByHand(
    { call_back_attempts: 5, retry_delay_seconds: 0 },
    { phone_numbers: [berlin], additional_params: { timezone: 'Europe/Berlin' } },
    { startAt, on: stack },
  );
  const { organization_id: organizationId } = await hand.recipient();
  const { db, clock } = hand.stack;
  await giveConsent(db, organizationId, [berlin]);
  const setPolicy = async (callingPolicy: 'strict' | 'none') => {
    const now = await clock.now();
    await inTransaction(db, (tx) =>
      updateOrganization(tx, organizationId, { calling_policy: callingPolicy }, now),
    );
    const key = { organizationId, campaignId: hand.campaignId };
    await inTransaction(db, (tx) => rekeyBatch(tx, key, { after: null, limit: 10, now }));
  };
  const explain = async () => hand.manager.explainRecipient(hand.campaignId, (await hand.recipient()).id);
  return { ...hand, organizationId, db, clock, setPolicy, explain };
}

test('a policy allows three calls a day to a person, including earlier ones; without a policy the campaign decides', async () => {
  const hand = await world();
  const { explain, setPolicy } = hand;
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
  const { db, clock, organizationId, explain, setPolicy } = await world();
  const now = await clock.now();
  await setPolicy('strict');
  await setPersonCaps(db, {
    organizationId,
    change: { calls: [{ calls: 9, hours: 24 }], gap_seconds: null },
    now,
  });
  expect((await explain()).person).toEqual({
    calls: [{ calls: 9, hours: 24, made: 0 }],
    gap_seconds: null,
    after_conversation_hours: 168,
    last_call_at: null,
    conversation_at: null,
  });
});
