import type { Db } from '@outdial/db';
import { placeDirectCall } from '@outdial/engine';
import { expect, test } from 'vitest';
import { recordedDials } from '../../support/stack/dials.ts';
import type { TestOrganization } from '../../support/stack/organization.ts';
import type { Stack } from '../../support/stack/start-stack.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { addConfirmedCallerId } from '../../support/confirmed-caller-id.ts';
import { engineInStep } from '../../compliance/campaign/engine-in-step.ts';
import { noProcesses } from './by-hand.ts';
import { dialNow, phoneNumbers, runCampaign } from './campaign.ts';

/** The smallest acceptable part of an organization's fair share while it has work. The fair share of two organizations is half the lines. */
const atLeast = 0.9 * 0.5;

/** Long compared with the time from a free line to its next dial on a busy machine. */
const talkMs = 1_500;

/** The campaign's share of all dials from its first to its last. All calls are equally long, so it is the share of the lines, on a slow machine as well. */
async function shareOfDials(db: Db, campaignId: string): Promise<number> {
  const isOwn = (await recordedDials(db)).map((dial) => dial.campaignId === campaignId);
  const between = isOwn.slice(isOwn.indexOf(true), isOwn.lastIndexOf(true) + 1);
  return between.filter(Boolean).length / between.length;
}

test.each<[string, (stack: Stack, greedy: TestOrganization) => Promise<unknown>]>([
  [
    'a campaign of the highest priority',
    (stack, greedy) =>
      runCampaign(
        stack,
        greedy,
        { phone_numbers: phoneNumbers(40) },
        { max_concurrent_calls: 50, priority: 1_000_000 },
      ),
  ],
  [
    'any number of direct calls',
    (_, { clients, agentId }) =>
      Promise.all(phoneNumbers(30).map((to_phone) => clients.manager.makeCall(agentId, { to_phone }))),
  ],
])('%s leaves others their share of a provider', { timeout: 90_000 }, async (_, flood) => {
  const stack = await useStack({ backend: 'postgres', simulator: { talkMs } });
  await stack.setProvider('simulator', { maxLines: 4 });
  const modest = await stack.organization();
  await flood(stack, await stack.organization());
  await waitFor('the flood to be dialed', async () => (await recordedDials(stack.db)).length >= 4);
  const theirs = await runCampaign(
    stack,
    modest,
    { phone_numbers: phoneNumbers(8) },
    { max_concurrent_calls: 10 },
  );
  await theirs.finished();
  expect(await shareOfDials(stack.db, theirs.id)).toBeGreaterThanOrEqual(atLeast);
});

test.each([
  ['a caller id', 'no_caller_id', ['+15552990099', ...phoneNumbers(8)]],
  ['another call to their number', 'number_in_call', Array.from({ length: 9 }, () => '+15552000099')],
])('direct calls that wait for %s keep no line from others', async (_, reason, numbers) => {
  const stack = await useStack(noProcesses);
  await stack.clock.stop();
  // The first call lasts.
  await stack.setProvider('simulator', { maxLines: 5 });
  const [greedy, modest] = [await stack.organization(), await stack.organization()];
  if (reason === 'no_caller_id') await addConfirmedCallerId(stack.db, greedy.id, { calls_per_day: 1 });
  const { deps } = engineInStep(stack);
  const callIds: string[] = [];
  for (const to_phone of numbers) {
    callIds.push((await greedy.clients.manager.makeCall(greedy.agentId, { to_phone })).id ?? '');
  }
  const place = async () => {
    const placed = [];
    for (const callId of callIds) placed.push(await placeDirectCall(deps, callId));
    await deps.progress.drain();
    return placed;
  };
  const waiting = callIds.slice(1).map(() => ({ kind: 'waiting', reason }));
  expect(await place()).toEqual([{ kind: 'sent', sent: 'accepted' }, ...waiting]);
  const theirs = await runCampaign(
    stack,
    modest,
    { phone_numbers: phoneNumbers(9) },
    { max_concurrent_calls: 9 },
  );
  expect(await dialNow(stack, theirs.id)).toHaveLength(4);
  expect((await place()).slice(1)).toEqual(waiting);
});
