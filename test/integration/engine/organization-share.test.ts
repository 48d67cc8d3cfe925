import { expect, test } from 'vitest';
import { recordedDials } from '../../support/stack/dials.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { phoneNumbers, runCampaign } from './campaign.ts';

/** Of the dials from the first of that campaign to its last, how many are its own. */
async function shareOf(db: Parameters<typeof recordedDials>[0], campaignId: string): Promise<number> {
  const dials = await recordedDials(db);
  const isOwn = (dial: (typeof dials)[number]) => dial.campaignId === campaignId;
  const between = dials.slice(dials.findIndex(isOwn), dials.findLastIndex(isOwn) + 1);
  return between.filter(isOwn).length / between.length;
}

test('a priority counts within its organization only: another has its share of a provider all the same', async () => {
  const stack = await useStack({ backend: 'postgres', simulator: { talkMs: 150 } });
  await stack.setProvider('simulator', { maxLines: 4 });
  const [greedy, modest] = [await stack.organization(), await stack.organization()];
  const flood = await runCampaign(
    stack,
    greedy,
    { phone_numbers: phoneNumbers(99) },
    { max_concurrent_calls: 50, priority: 1_000_000 },
  );
  await flood.dialed(4);
  const theirs = await runCampaign(
    stack,
    modest,
    { phone_numbers: phoneNumbers(28) },
    { max_concurrent_calls: 10 },
  );
  await theirs.finished();
  // Half is fair. On a machine that is busy with other tests a third was seen, and next to nothing where priorities count for all.
  expect(await shareOf(stack.db, theirs.id)).toBeGreaterThanOrEqual(0.25);
});
