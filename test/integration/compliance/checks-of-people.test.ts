import { randomUUID } from 'node:crypto';
import { gateGrounds } from '@outdial/core';
import {
  chooseDue,
  inTransaction,
  loadCampaignDefinition,
  openAdvances,
  passGate,
  saveGateGrounds,
  savePlans,
  setPersonCaps,
} from '@outdial/db';
import { expect, test } from 'vitest';
import { gateTerms } from '../../support/gates/gate-terms.ts';
import { useFileStack } from '../../support/stack/use-stack.ts';
import { campaignByHand, noProcesses } from '../engine/by-hand.ts';

const stack = await useFileStack(noProcesses);

/** A campaign under the caps of a policy, and a gate with grounds (the inputs of its decision) that a worker collected before a change. */
async function world() {
  const hand = await campaignByHand({ call_back_attempts: 3, retry_delay_seconds: 0 }, {}, { on: stack });
  const { organization_id: organizationId, calling_key: zone } = await hand.recipient();
  const { db, clock } = stack;
  const now = await clock.now();
  const change = { calls: [{ calls: 5, hours: 24 }] };
  await inTransaction(db, (tx) => setPersonCaps(tx, { organizationId, change, now }));
  const definition = await loadCampaignDefinition(db, hand.campaignId);
  if (definition === null) throw new Error('no campaign');
  const { agentId, personCaps } = definition;
  const groundsId = randomUUID();
  const said = gateGrounds({
    callingPolicy: 'none',
    key: zone,
    window: null,
    hours: null,
    consent: null,
    campaign: definition,
  });
  await saveGateGrounds(db, { organizationId, grounds: [{ id: groundsId, content: said }] });
  const dial = async () => {
    const { id: recipientId } = await hand.recipient();
    const callId = randomUUID();
    const terms = await gateTerms(stack, { id: organizationId, agentId }, hand.campaignId);
    const windows = terms.windows.map((window) => ({ ...window, groundsId }));
    await inTransaction(db, async (tx) => {
      const [view] = await openAdvances(tx, [hand.campaignId], { waits: true });
      if (view === undefined) throw new Error('no campaign');
      const { callingKeys: zones } = view.definition;
      const campaigns = [{ campaignId: hand.campaignId, zones, limit: 1 }];
      await chooseDue(tx, { organizationId, campaigns, now: view.now, withLastCallerId: false });
      const dials = [{ recipientId, callId, isAllowedDestination: true }];
      await passGate(tx, [{ terms: { ...terms, windows, personCaps }, dials }]);
      const plan = { wakeAt: null, nextDialAt: null, waitingFor: null };
      await savePlans(tx, [{ ...plan, campaignId: hand.campaignId, dialed: 1 }], view.now);
    });
    return callId;
  };
  const stored = async (callId: string) => {
    const call = await db
      .selectFrom('calls')
      .select('person_check')
      .where('id', '=', callId)
      .executeTakeFirstOrThrow();
    return call.person_check;
  };
  const checkOf = async (callId: string) => (await hand.manager.readReceipt(callId)).person;
  const setCaps = (calls: Array<{ calls: number; hours: number }> | null) =>
    inTransaction(db, (tx) => setPersonCaps(tx, { organizationId, change: { calls }, now }));
  return { ...hand, dial, stored, checkOf, setCaps };
}

const none = { gap_seconds: null, after_conversation_hours: null, last_call_at: null, conversation_at: null };

test('the receipt of the first call to a person has its counts from the grounds, and its row has none', async () => {
  const hand = await world();
  const { dial, stored, checkOf } = hand;
  const first = await dial();
  await hand.end(first, 'busy');
  const second = await dial();
  expect(await stored(first)).toBeNull();
  expect(await checkOf(first)).toEqual({ ...none, calls: [{ calls: 5, hours: 24, made: 0 }] });
  expect(await checkOf(second)).toMatchObject({ calls: [{ calls: 5, hours: 24, made: 1 }] });
  expect((await checkOf(second))?.last_call_at).not.toBeNull();
});

test('caps that changed after the grounds were written are those of the receipt', async () => {
  const { dial, checkOf, setCaps } = await world();
  await setCaps([{ calls: 2, hours: 48 }]);
  expect(await checkOf(await dial())).toEqual({ ...none, calls: [{ calls: 2, hours: 48, made: 0 }] });
});

test('caps that ended after the grounds were written are not in the receipt', async () => {
  const { dial, checkOf, setCaps } = await world();
  await setCaps(null);
  expect(await checkOf(await dial())).toBeNull();
});

test('an undone first call is a refusal with the counts of its grounds', async () => {
  const hand = await world();
  await hand.undo(await hand.dial());
  const { id } = await hand.recipient();
  const { refusals } = await hand.manager.explainRecipient(hand.campaignId, id);
  expect(refusals?.last.person).toEqual({ ...none, calls: [{ calls: 5, hours: 24, made: 0 }] });
});
