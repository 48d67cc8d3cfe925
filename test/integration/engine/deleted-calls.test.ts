import { enforceRetention, eraseDeletedCampaign, reconcileLines } from '@outdial/db';
import { deleteCampaign, withdrawRecipients } from '@outdial/engine';
import { describe, expect, test } from 'vitest';
import { useFileStack } from '../../support/stack/use-stack.ts';
import { campaignByHand, noProcesses } from './by-hand.ts';

/** Retention deletes calls while their recipients still wait. The rows of the recipients then decide what follows. */
type ByHand = Awaited<ReturnType<typeof campaignByHand>>;

const stack = await useFileStack(noProcesses);

/** Events are deleted long before calls. */
const deleteEvents = (callId: string) =>
  stack.db.deleteFrom('outbox').where('call_id', '=', callId).execute();

test('an attempt that is undone after the call before it was deleted is still a call-back of its round, due when it was', async () => {
  const hand = await campaignByHand({ call_back_attempts: 1, retry_delay_seconds: 60 }, {}, { on: stack });
  const first = await hand.dial();
  await hand.end(first, 'busy');
  await stack.clock.advance(61_000);
  const second = await hand.dial();
  await deleteEvents(first);
  await stack.db.deleteFrom('calls').where('id', '=', first).execute();
  await hand.undo(second);
  const waiting = { state: 'pending', attempts: 1, round: 1, round_attempts: 1, last_outcome: 'busy' };
  expect(await hand.recipient()).toMatchObject(waiting);
  await hand.undo(await hand.dial());
  expect(await hand.recipient()).toMatchObject(waiting);
  await hand.manager.setConfig(hand.campaignId, { max_attempts_per_recipient: 1 });
  expect(await hand.recipient()).toMatchObject({ state: 'done', finish_reason: 'max_attempts' });
});

test('a late end together with the end of the next attempt releases one line, not two', async () => {
  const hand = await campaignByHand(
    { call_back_attempts: 2, retry_delay_seconds: 0, retry_on: ['unknown'] },
    {},
    { on: stack },
  );
  /** Fails if the counter is wrong. */
  const linesInUse = async () => {
    expect(await stack.db.transaction().execute((tx) => reconcileLines(tx))).toBe(0);
    const runtime = stack.db.selectFrom('campaign_runtime').select('lines_in_use');
    return (await runtime.where('campaign_id', '=', hand.campaignId).executeTakeFirstOrThrow()).lines_in_use;
  };
  const first = await hand.dial();
  await hand.end(first, 'unknown');
  const second = await hand.dial();
  expect(await linesInUse()).toBe(1);
  const at = await stack.clock.now();
  const ended = (eventId: string) =>
    ({ kind: 'ended', eventId, at, outcome: 'completed', details: {} }) as const;
  const reports = [
    { callId: first, facts: [ended('late')] },
    { callId: second, facts: [ended('in time')] },
  ];
  expect(await hand.report(reports)).toBe(2);
  expect(await hand.recipient()).toMatchObject({ state: 'done', attempts: 2 });
  expect(await linesInUse()).toBe(0);
});

describe('the recipients of a deleted campaign are erased', () => {
  const erase = async () => {
    while ((await eraseDeletedCampaign(stack.db, 10)) !== null);
  };

  async function deleted(hand: ByHand): Promise<{ organizationId: string; left: () => Promise<number> }> {
    const { organization_id: organizationId } = await hand.recipient();
    const { campaignId } = hand;
    await hand.manager.setStatus(campaignId, 'canceled');
    await deleteCampaign(stack.control, { organizationId, campaignId });
    const rows = stack.db
      .selectFrom('campaign_recipients')
      .select('id')
      .where('campaign_id', '=', campaignId);
    return { organizationId, left: async () => (await rows.execute()).length };
  }

  test('when retention deletes their calls', async () => {
    const hand = await campaignByHand({}, {}, { on: stack });
    const callId = await hand.dial();
    await hand.end(callId, 'completed');
    const { organizationId, left } = await deleted(hand);
    await erase();
    expect(await left()).toBe(1);
    await stack.db
      .updateTable('organizations')
      .set({ keep_calls_days: 30 })
      .where('id', '=', organizationId)
      .execute();
    await stack.clock.advance(40 * 86_400_000);
    await deleteEvents(callId);
    while ((await enforceRetention(stack.db, { limit: 10 }))?.hasMore === true);
    await erase();
    expect(await left()).toBe(0);
  });

  test('when their last attempt is undone', async () => {
    const hand = await campaignByHand({}, {}, { on: stack });
    const callId = await hand.dial();
    const { left } = await deleted(hand);
    await erase();
    await hand.undo(callId);
    await withdrawRecipients(stack.control, hand.campaignId);
    await erase();
    expect(await left()).toBe(0);
  });

  test('when nobody else has locked them any more', async () => {
    const hand = await campaignByHand({}, {}, { on: stack });
    const { left } = await deleted(hand);
    await withdrawRecipients(stack.control, hand.campaignId);
    await stack.db.transaction().execute(async (tx) => {
      await tx
        .selectFrom('campaign_recipients')
        .where('campaign_id', '=', hand.campaignId)
        .forUpdate()
        .execute();
      await erase();
    });
    expect(await left()).toBe(1);
    await erase();
    expect(await left()).toBe(0);
  });
});
