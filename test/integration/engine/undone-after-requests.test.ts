import type { LookUpResult, TelephonyProvider } from '@outdial/core';
import { inTransaction } from '@outdial/db';
import { checkCalls, placeDirectCall, withdrawRecipients, type SendDeps } from '@outdial/engine';
import { describe, expect, test } from 'vitest';
import { engineInStep, withCarrier } from '../../compliance/campaign/engine-in-step.ts';
import { makeSubject } from '../../support/gates/gate-callers.ts';
import { mondayMorning } from '../../support/stack/start-stack.ts';
import { useFileStack } from '../../support/stack/use-stack.ts';
import { phoneNumbers } from './campaign.ts';
import { byHand, campaignByHand, noProcesses, overlapping, undoDeferred } from './by-hand.ts';

/** A request during an attempt remains in force if the attempt is undone. */

const stack = await useFileStack(noProcesses);
const inFileStack: typeof campaignByHand = (config, fields) => campaignByHand(config, fields, { on: stack });

describe('a round that a caller requested', () => {
  test.each([
    ['busy', { state: 'pending', round: 2, round_attempts: 0, finish_reason: null }],
    ['completed', { state: 'done', finish_reason: 'reached' }],
  ] as const)(
    'stays unless its unknown call is corrected to have reached the person: %s',
    async (outcome, then) => {
      const hand = await inFileStack();
      const callId = await hand.dial();
      await hand.end(callId, 'unknown');
      await hand.manager.retryRecipients(hand.campaignId, ['unknown']);
      await hand.end(callId, outcome);
      expect(await hand.recipient()).toMatchObject(then);
    },
  );

  test('stays if its recipient leaves the list, its unknown call is corrected, and it returns', async () => {
    const hand = await inFileStack();
    const callId = await hand.dial();
    await hand.end(callId, 'unknown');
    await hand.manager.retryRecipients(hand.campaignId, ['unknown']);
    const { id, phone_number: number } = await hand.recipient();
    await hand.manager.withdrawRecipient(hand.campaignId, id, { hangUp: false });
    await hand.end(callId, 'busy');
    expect(await hand.recipient()).toMatchObject({ state: 'withdrawn', last_outcome: 'busy' });
    await hand.manager.addRecipients(hand.campaignId, [number]);
    expect(await hand.recipient()).toMatchObject({ state: 'pending', round: 2, round_attempts: 0 });
  });

  test('ends with its campaign, if its provider asks to wait after that', async () => {
    const hand = await inFileStack();
    await hand.end(await hand.dial(), 'busy');
    await hand.manager.retryRecipients(hand.campaignId, ['busy']);
    const callId = await hand.dial();
    await hand.manager.setStatus(hand.campaignId, 'canceled');
    await hand.undo(callId);
    expect(await hand.recipient()).toMatchObject({
      state: 'done',
      attempts: 1,
      finish_reason: 'attempts_used',
    });
  });
});

describe('a round that a caller requests after the end', () => {
  test('does not include who was withdrawn during a call that outlasted the end', async () => {
    const hand = await inFileStack();
    const callId = await hand.dial();
    await hand.manager.setStatus(hand.campaignId, 'finished');
    const { id } = await hand.recipient();
    await hand.manager.withdrawRecipient(hand.campaignId, id, { hangUp: false });
    await hand.end(callId, 'busy');
    expect(await hand.manager.retryRecipients(hand.campaignId, ['busy'])).toMatchObject({ retried: 0 });
    expect(await hand.recipient()).toMatchObject({ state: 'withdrawn', last_outcome: 'busy' });
  });

  test.each([
    ['completed', 'busy', 0],
    ['busy', 'busy', 1],
    ['busy', 'unknown', 0],
  ] as const)(
    'knows that an unknown call was corrected to %s: of %s it includes %i',
    async (corrected, requested, retried) => {
      const hand = await inFileStack({ retry_on: ['unknown', 'busy'], call_back_attempts: 1 });
      const callId = await hand.dial();
      await hand.end(callId, 'unknown');
      await hand.manager.setStatus(hand.campaignId, 'finished');
      await withdrawRecipients(stack.control, hand.campaignId);
      await hand.end(callId, corrected);
      const { id } = await hand.recipient();
      expect(await hand.recipient()).toMatchObject({ state: 'withdrawn', last_outcome: corrected });
      const told = await stack.db
        .selectFrom('outbox')
        .select('data')
        .where('recipient_id', '=', id)
        .where('type', '=', 'recipient.finished')
        .orderBy('ordinal')
        .execute();
      const reasons =
        corrected === 'completed' ? ['campaign_ended', 'reached'] : ['campaign_ended', 'campaign_ended'];
      expect(told.map(({ data }) => data)).toMatchObject(reasons.map((reason) => ({ reason })));
      expect(await hand.manager.retryRecipients(hand.campaignId, [requested])).toMatchObject({ retried });
    },
  );

  test('lets a number be added again whose first attempt was undone after the end', async () => {
    const [called = '', never = ''] = phoneNumbers(2);
    const hand = await inFileStack({}, { phone_numbers: [called, never] });
    await hand.end(await hand.dial(called), 'busy');
    const callId = await hand.dial(never);
    await hand.manager.setStatus(hand.campaignId, 'finished');
    await hand.undo(callId);
    expect(await hand.recipient(never)).toMatchObject({ state: 'withdrawn', attempts: 0 });
    const { phone_numbers: listed } = await hand.manager.readCampaign(hand.campaignId);
    expect(listed).toEqual([called, never]);
    await hand.manager.retryRecipients(hand.campaignId, ['busy']);
    expect(await hand.manager.addRecipients(hand.campaignId, [never])).toMatchObject({ added: 1 });
    expect(await hand.recipient(never)).toMatchObject({ state: 'pending', attempts: 0 });
  });
});

describe('a call whose hang-up was requested while it is sent', () => {
  const engine = engineInStep(stack);
  const lookedUpAs = (found: LookUpResult, differs: Partial<TelephonyProvider> = {}) =>
    withCarrier(engine, { lookUp: () => Promise.resolve(found), ...differs });

  /** A direct call that has passed its gate. */
  async function direct() {
    const organization = await stack.organization();
    const world = { db: stack.db, organization, provider: 'simulator', due: () => Promise.resolve('') };
    const subject = await makeSubject(world, 'direct call');
    expect(await subject.pass()).toBe('passed');
    return { callId: subject.callId, client: organization.clients.member };
  }

  /** The same for a campaign. */
  async function ofCampaign() {
    await stack.clock.set(mondayMorning);
    const organization = await stack.organization();
    const hand = await byHand(stack, organization);
    return { hand, callId: await hand.dial(), client: organization.clients.member };
  }

  /** After a send has ended, a look-up ends the call. */
  async function lookUp(callId: string, by: SendDeps): Promise<void> {
    await stack.clock.advance(15_000);
    await checkCalls(by, [callId]);
    await engine.deps.progress.drain();
  }

  const hungUp = { status: 'other', external_last_status: 'hung_up', meta: { outcome: 'canceled' } };
  const canceled = { state: 'done', attempts: 1, last_outcome: 'canceled' };

  test('ends instead of waiting for its line if its provider asks to wait', async () => {
    const { callId, client } = await direct();
    await client.hangUp(callId);
    expect(await inTransaction(stack.db, (tx) => undoDeferred(tx, callId))).toBe(null);
    await lookUp(callId, lookedUpAs({ kind: 'unknown' }));
    expect(await client.readCall(callId)).toMatchObject(hungUp);
  });

  test('is not over while its send may arrive, though its provider knows of no call to hang up', async () => {
    const { callId, client } = await direct();
    await client.hangUp(callId);
    const carrier = lookedUpAs(
      { kind: 'unreachable', reason: 'timeout' },
      { hangUp: () => Promise.resolve({ kind: 'confirmed' }) },
    );
    await checkCalls(carrier, [callId]);
    await engine.deps.progress.drain();
    expect(await client.readCall(callId)).toMatchObject({ status: 'init' });
    await lookUp(callId, carrier);
    expect(await client.readCall(callId)).toMatchObject(hungUp);
  });

  test('is not dialed under another id if its provider withdrew it from its queue', async () => {
    const { hand, callId, client } = await ofCampaign();
    await hand.report([{ callId, accepted: { conversationId: 'CA1', isQueued: true }, facts: [] }]);
    await client.hangUp(callId);
    await lookUp(callId, lookedUpAs({ kind: 'withdrawn' }));
    expect(await hand.recipient()).toMatchObject(canceled);
  });

  test.each([true, false])('is not placed again if its provider never saw it: %s', async (isHungUp) => {
    const { hand, callId, client } = await ofCampaign();
    const carrier = lookedUpAs(
      { kind: 'unknown' },
      {
        idempotency: 'lasting',
        place: () => Promise.resolve({ kind: 'accepted', conversationId: null }),
        // The request comes between the look-up and the gate of the repeated placement.
        lookUp: async () => {
          if (isHungUp && (await hand.recipient()).state === 'dialing') await client.hangUp(callId);
          return { kind: 'unknown' };
        },
      },
    );
    await lookUp(callId, carrier);
    const { events } = await client.readCall(callId);
    // The trace of an opened gate, even if a busy machine then sends too late.
    expect((events ?? []).filter((event) => event.type === 'placed_again')).toHaveLength(isHungUp ? 0 : 1);
    if (!isHungUp) return;
    await lookUp(callId, carrier);
    expect(await client.readCall(callId)).toMatchObject(hungUp);
  });

  test('does not hide from other calls that its provider asked to wait', async () => {
    const organization = await stack.organization();
    const { member: client } = organization.clients;
    const [number = ''] = phoneNumbers(1);
    const { id } = await client.makeCall(organization.agentId, { to_phone: number });
    const callId = id ?? '';
    const askingToWait = lookedUpAs(
      { kind: 'unknown' },
      {
        place: async () => {
          await client.hangUp(callId);
          return { kind: 'defer', retryAfterMs: 30_000, reason: 'rate_limited' };
        },
      },
    );
    await placeDirectCall(askingToWait, callId);
    const closed = await stack.db
      .updateTable('providers')
      .set({ closed_until: null })
      .where('closed_until', '>', await stack.clock.now())
      .returning('closed_reason')
      .execute();
    expect(closed).toEqual([{ closed_reason: 'rate_limited' }]);
    await lookUp(callId, askingToWait);
    expect(await client.readCall(callId)).toMatchObject(hungUp);
  });

  test('ends although it goes back to its queue at the same moment', async () => {
    const { callId, client } = await direct();
    const told = await overlapping(
      stack.db,
      (tx) => undoDeferred(tx, callId),
      () => client.hangUp(callId),
    );
    expect(told).toMatchObject({ status: 'other', meta: { outcome: 'canceled' } });
  });
});
