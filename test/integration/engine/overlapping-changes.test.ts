import {
  finishCampaign,
  inTransaction,
  loadCampaignDefinition,
  lockCampaign,
  openAdvance,
  replanRecipients,
  writeCampaignConfig,
  writeCampaignStatus,
  type CampaignDefinition,
  type Tx,
} from '@outdial/db';
import { withdrawForgottenRecipients, withdrawRecipients } from '@outdial/engine';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { useFileStack } from '../../support/stack/use-stack.ts';
import { campaignByHand, noProcesses } from './by-hand.ts';
import { phoneNumbers } from './campaign.ts';

type ByHand = Awaited<ReturnType<typeof campaignByHand>>;

const stack = await useFileStack(noProcesses);
const inFileStack: typeof campaignByHand = (config, fields) => campaignByHand(config, fields, { on: stack });

async function statesOf({ campaignId }: ByHand): Promise<string[]> {
  const recipients = stack.db.selectFrom('campaign_recipients').select('state');
  const rows = await recipients.where('campaign_id', '=', campaignId).execute();
  return rows.map((row) => row.state);
}

async function lockedBy(tx: Tx, hand: ByHand): Promise<CampaignDefinition> {
  const { organization_id: organizationId } = await hand.recipient();
  const held = await lockCampaign(tx, { organizationId, campaignId: hand.campaignId });
  if (!held) throw new Error('there is no such campaign');
  return held.definition;
}

async function dialAll(hand: ByHand, numbers: readonly string[]): Promise<string[]> {
  const calls = await hand.dialAll();
  return numbers.map((number) => calls.find((call) => call.phone_number === number)?.id ?? '');
}

describe('a config that removes call-backs', () => {
  const callBack = { call_back_attempts: 3, retry_delay_seconds: 0 };

  /** The statements of `PUT …/config`, in a transaction of the test. */
  async function lower(tx: Tx, hand: ByHand): Promise<void> {
    const { organizationId, id: campaignId } = await lockedBy(tx, hand);
    const now = await hand.stack.clock.now();
    await writeCampaignConfig(tx, { organizationId, campaignId, changes: { callBackAttempts: 0 }, now });
    const definition = await loadCampaignDefinition(tx, campaignId);
    if (definition) await replanRecipients(tx, definition, { kind: 'left' }, now);
  }

  test('applies to a call that ends meanwhile', async () => {
    const hand = await inFileStack(callBack);
    const callId = await hand.dial();
    await hand.overlapping(
      (tx) => lower(tx, hand),
      () => hand.end(callId, 'busy'),
    );
    expect(await hand.recipient()).toMatchObject({ state: 'done', finish_reason: 'attempts_used' });
  });

  test('applies to an attempt that is undone meanwhile', async () => {
    const hand = await inFileStack(callBack);
    await hand.end(await hand.dial(), 'busy');
    const second = await hand.dial();
    await hand.overlapping(
      (tx) => lower(tx, hand),
      () => hand.undo(second),
    );
    expect(await hand.recipient()).toMatchObject({
      state: 'done',
      attempts: 1,
      last_outcome: 'busy',
      finish_reason: 'attempts_used',
    });
  });

  test('comes after a concurrent dial, or before it: nobody is dialed in between', async () => {
    const hand = await inFileStack(callBack);
    await hand.end(await hand.dial(), 'busy');
    await hand.overlapping(
      async (tx) => {
        await openAdvance(tx, hand.campaignId);
      },
      () => hand.manager.setConfig(hand.campaignId, { call_back_attempts: 0 }),
    );
    expect(await hand.recipient()).toMatchObject({ state: 'done', finish_reason: 'attempts_used' });
    expect(await hand.dialAll()).toEqual([]);
  });

  test('applies to every recipient, in any interleaving of ends, advances and the change', async () => {
    const numbers = phoneNumbers(40);
    const hand = await inFileStack({ ...callBack, max_concurrent_calls: 40 }, { phone_numbers: numbers });
    const callIds = await dialAll(hand, numbers);
    await Promise.all([
      ...callIds.map((callId) => hand.end(callId, 'busy')),
      hand.dialAll(),
      hand.manager.setConfig(hand.campaignId, { call_back_attempts: 0 }),
      hand.dialAll(),
    ]);
    // Whoever was dialed again before the change is in a call, or done; nobody waits.
    expect(await statesOf(hand)).not.toContain('pending');
  });
});

describe('a corrected end', () => {
  const unknownAgain = {
    call_back_attempts: 2,
    retry_delay_seconds: 0,
    retry_on: ['unknown', 'busy'] as const,
  };

  test('decides when the attempt after it is undone: who was reached is not called again', async () => {
    const hand = await inFileStack({ ...unknownAgain, retry_on: ['unknown'] });
    const first = await hand.dial();
    await hand.end(first, 'unknown');
    const second = await hand.dial();
    await hand.end(first, 'completed');
    expect(await hand.recipient()).toMatchObject({ state: 'dialing' });
    await hand.undo(second);
    expect(await hand.recipient()).toMatchObject({
      state: 'done',
      attempts: 1,
      last_outcome: 'completed',
      finish_reason: 'reached',
    });
  });

  test('and the undoing of the attempt after it end alike in either order', async () => {
    for (let n = 0; n < 5; n++) {
      const hand = await inFileStack({ ...unknownAgain, retry_on: ['unknown'] });
      const first = await hand.dial();
      await hand.end(first, 'unknown');
      const second = await hand.dial();
      await Promise.all([hand.end(first, 'completed'), hand.undo(second)]);
      expect(await hand.recipient()).toMatchObject({ state: 'done', last_outcome: 'completed' });
    }
  });

  test('while its campaign is canceled leaves no recipient pending', async () => {
    const hand = await inFileStack({ call_back_attempts: 2 });
    const callId = await hand.dial();
    await hand.end(callId, 'unknown');
    await hand.overlapping(
      async (tx) => {
        await lockedBy(tx, hand);
        const now = await hand.stack.clock.now();
        await writeCampaignStatus(tx, { campaignId: hand.campaignId, status: 'canceled', now });
      },
      () => hand.end(callId, 'busy'),
    );
    expect(await hand.recipient()).toMatchObject({ state: 'done', finish_reason: 'campaign_ended' });
  });

  test('while its campaign is canceled leaves no recipient pending, at full speed', async () => {
    const numbers = phoneNumbers(40);
    const hand = await inFileStack(
      { call_back_attempts: 2, max_concurrent_calls: 40 },
      { phone_numbers: numbers },
    );
    const callIds = await dialAll(hand, numbers);
    for (const callId of callIds) await hand.end(callId, 'unknown');
    await Promise.all([
      ...callIds.slice(0, 20).map((callId) => hand.end(callId, 'busy')),
      hand.manager.setStatus(hand.campaignId, 'canceled'),
      ...callIds.slice(20).map((callId) => hand.end(callId, 'busy')),
    ]);
    await withdrawRecipients(hand.stack.control, hand.campaignId);
    expect(await statesOf(hand)).not.toContain('pending');
  });

  test('is repaired and reported if a recipient of a finished campaign still waits', async () => {
    // In a separate stack, because it counts all campaigns of the stack and expects an error.
    const hand = await campaignByHand();
    await hand.manager.setStatus(hand.campaignId, 'canceled');
    await withdrawRecipients(hand.stack.control, hand.campaignId);
    expect(await withdrawForgottenRecipients(hand.stack.control)).toMatchObject({ done: 0 });
    // A state that no code path of the engine produces.
    await hand.stack.db
      .updateTable('campaign_recipients')
      .set({ state: 'pending', withdrawn_at: null, next_attempt_at: await hand.stack.clock.now() })
      .execute();
    hand.stack.log.expect(/waiting recipients of campaigns that are over/);
    expect(await withdrawForgottenRecipients(hand.stack.control)).toMatchObject({ done: 1 });
    await withdrawRecipients(hand.stack.control, hand.campaignId);
    expect(await hand.recipient()).toMatchObject({ state: 'withdrawn' });
  });

  test('after the next round was planned does not bring it forward', async () => {
    const hand = await inFileStack({ queue_again: true, retry_on: ['unknown', 'busy'] });
    const callId = await hand.dial();
    await hand.end(callId, 'unknown');
    const planned = await hand.recipient();
    expect(planned).toMatchObject({ state: 'pending', round: 2, round_attempts: 0 });
    await hand.end(callId, 'busy');
    expect(await hand.recipient()).toMatchObject({
      state: 'pending',
      last_outcome: 'busy',
      round: 2,
      round_attempts: 0,
      next_attempt_at: planned.next_attempt_at,
    });
  });
});

describe('a campaign without recipients left', () => {
  test('does not finish with numbers that are added meanwhile', async () => {
    const hand = await inFileStack();
    await hand.end(await hand.dial(), 'completed');
    const { organization_id: organizationId } = await hand.recipient();
    const finished = await hand.overlapping(
      async (tx) => {
        await lockedBy(tx, hand);
        await sql`
          insert into campaign_recipients (organization_id, campaign_id, position, phone_number, calling_key, next_attempt_at)
          select organization_id, id, 1, '+15559990000', timezone, start_at from campaigns
          where id = ${hand.campaignId}`.execute(tx);
      },
      // The work of an advance that found no recipient.
      () =>
        inTransaction(hand.stack.db, (tx) =>
          finishCampaign(tx, { organizationId, campaignId: hand.campaignId }),
        ),
    );
    expect(finished).toBe(false);
    expect(await hand.manager.readCampaign(hand.campaignId)).toMatchObject({ status: 'running' });
    expect(await hand.dial('+15559990000')).not.toBe('');
  });
});
