import { inTransaction, setPersonCaps } from '@outdial/db';
import { expect, test } from 'vitest';
import { giveConsent } from '../../support/give-consent.ts';
import { useFileStack } from '../../support/stack/use-stack.ts';
import { noProcesses } from '../engine/by-hand.ts';
import { personUnder } from './person-under-policy.ts';

const hourMs = 3_600_000;
const colombian = '+573001234567';
const startAt = '2027-03-02T15:00:00Z';
const stack = await useFileStack(noProcesses);

const callBacks = { call_back_attempts: 9, retry_delay_seconds: 0 };

/** A person without caps of the organization, who is never reached. */
async function person(phoneNumber: string, policy: 'strict' | 'standard' = 'strict') {
  const hand = await personUnder(stack, { phoneNumber, at: startAt, policy }, callBacks);
  const { id: organizationId } = hand.organization;
  await giveConsent(stack.db, organizationId, [phoneNumber]);
  const setCaps = async (calls: Array<{ calls: number; hours: number }> | null) => {
    const change = { calls, gap_seconds: null, after_conversation_hours: null };
    const now = await stack.clock.now();
    await inTransaction(stack.db, (tx) => setPersonCaps(tx, { organizationId, change, now }));
  };
  await setCaps(null);
  const dialBusy = async (times: number) => {
    for (let n = 0; n < times; n++) await hand.end(await hand.dial(), 'busy');
  };
  return { ...hand, setCaps, dialBusy };
}

test('the caps of the rules count where the organization has none, for direct calls too, until the oldest call leaves their span', async () => {
  const hand = await person(colombian);
  await hand.dialBusy(2);
  expect(await hand.dialAll()).toEqual([]);
  const row = await hand.recipient();
  expect(row).toMatchObject({ state: 'pending', attempts: 2, deferred_for: 'person_cap' });
  const freeAt = Date.parse(startAt) + 24 * hourMs;
  expect(Math.abs(Number(row.next_attempt_at) - freeAt)).toBeLessThan(60_000);
  const { person: ledger, conditions } = await hand.explain();
  expect(ledger?.calls).toContainEqual({ calls: 2, hours: 24, made: 2 });
  expect(conditions).toContainEqual(
    expect.objectContaining({ condition: 'person_capped', verdict: 'fails' }),
  );
  const direct = hand.manager.makeCall(hand.organization.agentId, { to_phone: colombian });
  await expect(direct).rejects.toMatchObject({ status: 409, code: 'person_capped' });
  await stack.clock.advance(24 * hourMs);
  await hand.dialBusy(2);
});

test.each([
  ['strict', 1],
  ['standard', 3],
] as const)('the caps of a state count under strict only: under %s, %i calls', async (policy, calls) => {
  const hand = await person('+12075550123', policy);
  await hand.dialBusy(calls);
  expect(await hand.dialAll()).toHaveLength(policy === 'strict' ? 0 : 1);
});

test('receipts name the caps of the rules beside those of the organization, and of a first call too', async () => {
  const hand = await person(colombian);
  await hand.setCaps([{ calls: 9, hours: 24 }]);
  const callId = await hand.dial();
  const of = await hand.manager.readReceipt(callId);
  expect(of.person?.calls).toEqual([
    { calls: 9, hours: 24, made: 0 },
    { calls: 2, hours: 24, made: 0 },
  ]);
});
