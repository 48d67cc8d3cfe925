import { saveEstimate, takeDueEstimates } from '@outdial/db';
import { estimateEnds } from '@outdial/engine';
import { expect, test } from 'vitest';
import { useStack } from '../../support/stack/use-stack.ts';
import { campaignByHand, noProcesses } from '../engine/by-hand.ts';
import { phoneNumbers, runCampaign } from '../engine/campaign.ts';

/** A campaign in a separate stack, because the sweep takes any running campaign that is due. Its clock stands. */
async function world() {
  const hand = await campaignByHand(
    { call_back_attempts: 2, retry_delay_seconds: 3600, max_concurrent_calls: 5 },
    { phone_numbers: phoneNumbers(40) },
    { startAt: '2027-03-02T12:00:00Z' },
  );
  await hand.stack.clock.stop();
  return hand;
}

test('the estimated end is that of a forecast, even while nothing is dialed', async () => {
  const { stack, campaignId, manager } = await world();
  expect((await manager.readProgress(campaignId)).estimated_end_at).toBeNull();
  expect(await estimateEnds(stack.control)).toMatchObject({ done: 1 });
  const { end } = await manager.forecast(campaignId, {});
  const told = (await manager.readProgress(campaignId)).estimated_end_at ?? '';
  expect(told > (end.p10 ?? '') && told < (end.p90 ?? '')).toBe(true);
});

test('an estimate from before a change of settings is hidden, and recomputed', async () => {
  const { stack, campaignId, manager } = await world();
  await estimateEnds(stack.control);
  const before = (await manager.readProgress(campaignId)).estimated_end_at ?? '';
  await manager.setConfig(campaignId, { max_concurrent_calls: 1, call_back_attempts: 0 });
  expect((await manager.readProgress(campaignId)).estimated_end_at).toBeNull();
  expect(await estimateEnds(stack.control)).toMatchObject({ done: 0 });
  // The longest interval between two forecasts of a campaign.
  await stack.clock.advance(60 * 60_000);
  await estimateEnds(stack.control);
  const after = (await manager.readProgress(campaignId)).estimated_end_at ?? '';
  expect(after).not.toBe('');
  expect(after).not.toBe(before);
});

test('an estimate is recomputed when it is due, by one process, and not before', async () => {
  const { stack } = await world();
  const both = await Promise.all([estimateEnds(stack.control), estimateEnds(stack.control)]);
  expect(both.reduce((sum, { done }) => sum + done, 0)).toBe(1);
  expect(await estimateEnds(stack.control)).toMatchObject({ done: 0 });
  await stack.clock.advance(60 * 60_000);
  expect(await estimateEnds(stack.control)).toMatchObject({ done: 1 });
});

test('a change of the settings does not bring a forecast before the campaign has rested from the last one', async () => {
  const { stack, campaignId, manager } = await world();
  const take = () => takeDueEstimates(stack.db, { limit: 10 });
  const [due] = await take();
  if (due === undefined) throw new Error('no estimate is due');
  await saveEstimate(stack.db, { ...due, endsAt: null, nextInMs: 900_000, restsForMs: 60_000 });
  await manager.setConfig(campaignId, { max_concurrent_calls: 1 });
  await stack.clock.advance(59_999);
  expect(await take()).toEqual([]);
  await stack.clock.advance(1);
  expect(await take()).toMatchObject([{ campaignId }]);
  await manager.setConfig(campaignId, { max_concurrent_calls: 2 });
  // While one process computes a forecast, no other begins one.
  await stack.clock.advance(60_000);
  expect(await take()).toEqual([]);
});

test('an organization with one campaign does not wait for all those of another', async () => {
  const stack = await useStack({ ...noProcesses, startAt: '2027-03-02T12:00:00Z' });
  const [many, one] = [await stack.organization(), await stack.organization()];
  for (const organization of [many, many, many, one]) {
    await runCampaign(stack, organization, { phone_numbers: phoneNumbers(1) });
  }
  const taken = async (limit: number) =>
    (await takeDueEstimates(stack.db, { limit })).map(({ organizationId }) => organizationId);
  expect(new Set(await taken(2))).toEqual(new Set([many.id, one.id]));
  expect(await taken(1)).toEqual([many.id]);
  expect(await taken(10)).toEqual([many.id]);
});
