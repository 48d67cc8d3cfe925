import { inTransaction, setPersonCaps, updateOrganization } from '@outdial/db';
import { expect, test } from 'vitest';
import { giveConsent } from '../../support/give-consent.ts';
import { useFileStack } from '../../support/stack/use-stack.ts';
import { byHand, noProcesses } from '../engine/by-hand.ts';

const hourMs = 3_600_000;
const stack = await useFileStack(noProcesses);

/** A person under a policy, without caps of the organization, who is never reached. */
async function person(phoneNumber: string, startAt: string, callingPolicy: 'strict' | 'standard' = 'strict') {
  await stack.clock.set(startAt);
  const { db, clock } = stack;
  const organization = await stack.organization();
  const { id: organizationId } = organization;
  const now = await clock.now();
  await inTransaction(db, (tx) =>
    updateOrganization(tx, organizationId, { calling_policy: callingPolicy }, now),
  );
  await giveConsent(db, organizationId, [phoneNumber]);
  const change = { calls: null, gap_seconds: null, after_conversation_hours: null };
  await inTransaction(db, (tx) => setPersonCaps(tx, { organizationId, change, now }));
  const hand = await byHand(
    stack,
    organization,
    { call_back_attempts: 9, retry_delay_seconds: 0, call_on_weekend: true },
    { phone_numbers: [phoneNumber], start_time: '00:00', end_time: '23:59' },
  );
  const dialBusy = async (times: number) => {
    for (let n = 0; n < times; n++) await hand.end(await hand.dial(), 'busy');
  };
  const explain = async () => hand.manager.explainRecipient(hand.campaignId, (await hand.recipient()).id);
  return { ...hand, organization, db, clock, dialBusy, explain };
}

test.each([
  ['Colombia: two in 24 hours', '+573001234567', '2027-03-02T15:00:00Z', { calls: 2, hours: 24 }],
  ['France: four in 30 days', '+33612345678', '2027-03-02T10:00:00Z', { calls: 4, hours: 720 }],
  ['Maine: one in eight hours', '+12075550123', '2027-03-02T15:00:00Z', { calls: 1, hours: 8 }],
  ['the United Arab Emirates: two a day', '+971501234567', '2027-03-02T08:00:00Z', { calls: 2, hours: 24 }],
  ['Vietnam: one in 24 hours', '+84912345678', '2027-03-02T03:00:00Z', { calls: 1, hours: 24 }],
])('the caps of the rules count where the organization has none. %s', async (_, number, startAt, cap) => {
  const hand = await person(number, startAt);
  await hand.dialBusy(cap.calls);
  expect(await hand.dialAll()).toEqual([]);
  const freeAt = new Date(Date.parse(startAt) + cap.hours * hourMs);
  const row = await hand.recipient();
  expect(row).toMatchObject({ state: 'pending', attempts: cap.calls, deferred_for: 'person_cap' });
  expect(Math.abs(Number(row.next_attempt_at) - Number(freeAt))).toBeLessThan(60_000);
  const { person: ledger, conditions } = await hand.explain();
  expect(ledger?.calls).toContainEqual({ ...cap, made: cap.calls });
  expect(conditions).toContainEqual(
    expect.objectContaining({ condition: 'person_capped', verdict: 'fails' }),
  );
});

test('a cap allows a call again when its oldest call leaves the span', async () => {
  const hand = await person('+573001234567', '2027-03-02T15:00:00Z');
  await hand.dialBusy(2);
  expect(await hand.dialAll()).toEqual([]);
  await hand.clock.advance(24 * hourMs);
  await hand.dialBusy(2);
});

test('the caps of a state count under strict only', async () => {
  const hand = await person('+12075550123', '2027-03-02T15:00:00Z', 'standard');
  await hand.dialBusy(3);
  expect(await hand.recipient()).toMatchObject({ attempts: 3, deferred_for: null });
});

test('receipts name the caps of the rules beside those of the organization, and of a first call too', async () => {
  const hand = await person('+573001234567', '2027-03-02T15:00:00Z');
  const change = { calls: [{ calls: 9, hours: 24 }] };
  await setPersonCaps(hand.db, {
    organizationId: hand.organization.id,
    change,
    now: await hand.clock.now(),
  });
  const callId = await hand.dial();
  const of = await hand.manager.readReceipt(callId);
  expect(of.person?.calls).toEqual([
    { calls: 9, hours: 24, made: 0 },
    { calls: 2, hours: 24, made: 0 },
  ]);
});

test('a direct call is refused by the caps of the rules, with the time of the next one', async () => {
  const hand = await person('+573001234567', '2027-03-02T15:00:00Z');
  await hand.dialBusy(2);
  await expect(
    hand.manager.makeCall(hand.organization.agentId, { to_phone: '+573001234567' }),
  ).rejects.toMatchObject({
    status: 409,
    code: 'person_capped',
  });
});
