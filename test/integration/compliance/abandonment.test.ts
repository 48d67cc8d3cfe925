import { noteVoice } from '@outdial/db';
import { judgeAbandonment } from '@outdial/engine';
import { expect, test } from 'vitest';
import { anyBackend } from '../../support/queues.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { campaignByHand } from '../engine/by-hand.ts';
import { dialNow, phoneNumbers, runCampaign } from '../engine/campaign.ts';

test('a campaign that leaves people without a voice makes fewer calls at once, reports it, and recovers when that is long ago', async () => {
  const stack = await useStack({ backend: anyBackend(), workers: 0, schedulers: 0 });
  const organization = await stack.organization();
  const { id } = await runCampaign(
    stack,
    organization,
    { phone_numbers: phoneNumbers(5) },
    { max_concurrent_calls: 4, call_on_weekend: true },
  );
  const day = new Date((await stack.clock.now()).getTime()).toISOString().slice(0, 10);
  await stack.db
    .insertInto('campaign_voices')
    .values({ campaign_id: id, day: new Date(day), connected: 94, abandoned: 6 })
    .execute();
  await judgeAbandonment(stack.control);
  await dialNow(stack, id);
  const dialed = async () => {
    const rows = stack.db.selectFrom('campaign_recipients').select('id').where('campaign_id', '=', id);
    return (await rows.where('state', '=', 'dialing').execute()).length;
  };
  expect(await dialed()).toBe(2);
  expect(await organization.clients.viewer.readProgress(id)).toMatchObject({
    waiting_for: 'abandonment',
    waiting_detail: {
      limit: 2,
      in_use: 2,
      message:
        'On 6.0 % of the 100 calls answered in the last 30 days, people heard no voice within two seconds. Above 3 %, the campaign slows down, at the moment to at most 2 concurrent calls.',
    },
  });
  await stack.db
    .updateTable('campaign_voices')
    .set({ day: new Date(new Date(day).getTime() - 30 * 86_400_000) })
    .execute();
  await stack.db
    .insertInto('campaign_voices')
    .values({ campaign_id: id, day: new Date(day), connected: 40, abandoned: 1 })
    .execute();
  await judgeAbandonment(stack.control);
  await dialNow(stack, id);
  expect(await dialed()).toBe(4);
});

test('a slowed campaign without reports for a month runs at full speed again', async () => {
  const stack = await useStack({ backend: anyBackend(), workers: 0, schedulers: 0 });
  const { id } = await runCampaign(stack, await stack.organization(), { phone_numbers: phoneNumbers(1) });
  const day = new Date(await stack.clock.now());
  const counts = { campaign_id: id, day, connected: 94, abandoned: 6 };
  await stack.db.insertInto('campaign_voices').values(counts).execute();
  const slowed = async () => {
    await judgeAbandonment(stack.control);
    const runtime = stack.db.selectFrom('campaign_runtime').select('abandonment');
    return (await runtime.where('campaign_id', '=', id).executeTakeFirstOrThrow()).abandonment;
  };
  expect(await slowed()).not.toBeNull();
  await stack.db.deleteFrom('campaign_voices').execute();
  expect(await slowed()).toBeNull();
});

test('a voice within two seconds of the answer counts as connected, a later one as abandoned, and a second report not at all', async () => {
  const hand = await campaignByHand({ max_concurrent_calls: 2 }, { phone_numbers: phoneNumbers(2) });
  const { db } = hand.stack;
  for (const [n, phone] of phoneNumbers(2).entries()) {
    const callId = await hand.dial(phone);
    const at = await hand.stack.clock.now();
    const accepted = { conversationId: callId, isQueued: false };
    await hand.report([{ callId, accepted, facts: [{ kind: 'answered', eventId: 'a', at }] }]);
    const heardAt = new Date(at.getTime() + 2_000 + n);
    await noteVoice(db, { callId, kind: 'connected', at: heardAt });
    await noteVoice(db, { callId, kind: n === 0 ? 'abandoned' : 'connected', at });
  }
  const counts = await db.selectFrom('campaign_voices').select(['connected', 'abandoned']).execute();
  expect(counts).toEqual([{ connected: 1, abandoned: 1 }]);
});
