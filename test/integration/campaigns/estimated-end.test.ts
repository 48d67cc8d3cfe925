import { estimateEnds } from '@outdial/engine';
import { expect, test } from 'vitest';
import { campaignByHand } from '../engine/by-hand.ts';
import { phoneNumbers } from '../engine/campaign.ts';

/** A campaign in a stack of its own: the sweep takes whichever running campaign is due. */
const world = () =>
  campaignByHand(
    { call_back_attempts: 2, retry_delay_seconds: 3600, max_concurrent_calls: 5 },
    { phone_numbers: phoneNumbers(40) },
    { startAt: '2027-03-02T12:00:00Z' },
  );

test('the estimated end is the one of a forecast, also while nothing is dialed', async () => {
  const { stack, campaignId, manager } = await world();
  expect((await manager.readProgress(campaignId)).estimated_end_at).toBeNull();
  expect(await estimateEnds(stack.control)).toMatchObject({ done: 1 });
  const { end } = await manager.forecast(campaignId, {});
  const told = (await manager.readProgress(campaignId)).estimated_end_at ?? '';
  expect(told > (end.p10 ?? '') && told < (end.p90 ?? '')).toBe(true);
});

test('an estimate by settings from before a change is not told, and is made again by the new ones', async () => {
  const { stack, campaignId, manager } = await world();
  await estimateEnds(stack.control);
  const before = (await manager.readProgress(campaignId)).estimated_end_at ?? '';
  await manager.setConfig(campaignId, { max_concurrent_calls: 1, call_back_attempts: 0 });
  expect((await manager.readProgress(campaignId)).estimated_end_at).toBeNull();
  expect(await estimateEnds(stack.control)).toMatchObject({ done: 0 });
  await stack.clock.advance(10_000);
  await estimateEnds(stack.control);
  const after = (await manager.readProgress(campaignId)).estimated_end_at ?? '';
  expect(after).not.toBe('');
  expect(after).not.toBe(before);
});

test('an estimate is made again when it is due, by one process, and not before', async () => {
  const { stack } = await world();
  const both = await Promise.all([estimateEnds(stack.control), estimateEnds(stack.control)]);
  expect(both.reduce((sum, { done }) => sum + done, 0)).toBe(1);
  expect(await estimateEnds(stack.control)).toMatchObject({ done: 0 });
  await stack.clock.advance(15 * 60_000);
  expect(await estimateEnds(stack.control)).toMatchObject({ done: 1 });
});
