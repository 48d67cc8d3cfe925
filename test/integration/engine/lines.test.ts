import { describe, expect, test } from 'vitest';
import { isLongRun } from '../../support/full-run.ts';
import { engineBackends } from '../../support/queues.ts';
import { linesInUse } from '../../support/stack/campaign-watch.ts';
import { mostAtOnce, recordedDials, type Dial } from '../../support/stack/dials.ts';
import type { Stack } from '../../support/stack/start-stack.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { allFinished, phoneNumbers, runCampaign } from './campaign.ts';

/** The number of a campaign's dials among the first. */
function shareOf(campaignId: string, dials: readonly Dial[], first: number): number {
  return dials.slice(0, first).filter((dial) => dial.campaignId === campaignId).length;
}

/** Calls end only when the test says so. */
const long = { simulator: { talkMs: 300_000 } };

/** Ends the long calls. Those that follow are short, and need no help to end. */
async function endLongCalls(stack: Stack, talkMs: number): Promise<void> {
  await stack.setProvider('simulator', { settings: { talk_ms: talkMs } });
  await stack.clock.advance(long.simulator.talkMs + 1_000);
}

/** Dozens of calls, which a busy machine makes slowly. */
const allDone = (stack: Stack, campaigns: ReadonlyArray<{ id: string }>) =>
  waitFor('the campaigns to finish', () => allFinished(stack, campaigns), { withinMs: 60_000 });

describe.each(engineBackends())('lines, queues on %s', { timeout: 150_000 }, (backend) => {
  test('of campaign, organization and provider are all used, and never exceeded', async () => {
    const stack = await useStack({ backend, workers: 2, schedulers: 2, ...long });
    await stack.setProvider('simulator', { maxLines: 7 });
    const [one, other] = [await stack.organization({ maxLines: 5 }), await stack.organization()];
    const narrow = await runCampaign(
      stack,
      one,
      { phone_numbers: phoneNumbers(8) },
      { max_concurrent_calls: 2 },
    );
    await narrow.dialed(2);
    const wide = await runCampaign(
      stack,
      one,
      { phone_numbers: phoneNumbers(25, '00', '556') },
      { max_concurrent_calls: 9 },
    );
    await wide.dialed(3);
    const foreign = await runCampaign(
      stack,
      other,
      { phone_numbers: phoneNumbers(25) },
      { max_concurrent_calls: 9 },
    );
    await foreign.dialed(2);
    const mostUsed = async () => {
      const [ofNarrow, ofWide] = [await narrow.dials(), await wide.dials()];
      return [
        mostAtOnce(ofNarrow),
        mostAtOnce([...ofNarrow, ...ofWide]),
        mostAtOnce(await recordedDials(stack.db)),
      ];
    };
    const caps = [2, 5, 7];
    expect(await mostUsed()).toEqual(caps);
    await endLongCalls(stack, 400);
    await allDone(stack, [narrow, wide, foreign]);
    const dials = await Promise.all([narrow, wide, foreign].map((campaign) => campaign.dials()));
    expect(dials.map(({ length }) => length)).toEqual([8, 25, 25]);
    for (const [at, used] of (await mostUsed()).entries()) expect(used).toBeLessThanOrEqual(caps[at] ?? 0);
    expect(await linesInUse(stack.db)).toBe(0);
  });

  test.runIf(isLongRun)(
    'of an organization are shared fairly, and go to the higher priority first',
    async () => {
      const stack = await useStack({ backend, ...long });
      const organization = await stack.organization({ maxLines: 4 });
      const run = (areaCode: string, priority: number) =>
        runCampaign(
          stack,
          organization,
          { phone_numbers: phoneNumbers(40, '00', areaCode) },
          { max_concurrent_calls: 10, priority },
        );
      const waitsForLine = (campaignId: string) =>
        waitFor('the campaign to wait for a line', async () => {
          const dialing = await organization.clients.viewer.readDialing(campaignId);
          return dialing?.waitingFor === 'organization_line';
        });
      const first = await run('555', 0);
      await first.dialed(4);
      const second = await run('556', 0);
      await waitsForLine(second.id);
      expect(mostAtOnce(await recordedDials(stack.db))).toBe(4);
      await endLongCalls(stack, 120);
      await allDone(stack, [first, second]);
      const equal = await recordedDials(stack.db);
      // The second campaign began when all lines were in use. Of the dials after that, each gets half.
      const whenBothRan = equal.slice(equal.findIndex((dial) => dial.campaignId === second.id));
      const ofSecond = shareOf(second.id, whenBothRan, 40);
      expect(ofSecond).toBeGreaterThanOrEqual(16);
      expect(ofSecond).toBeLessThanOrEqual(24);

      await stack.setProvider('simulator', { settings: { talk_ms: long.simulator.talkMs } });
      const low = await run('557', 0);
      await low.dialed(4);
      const high = await run('558', 5);
      await waitsForLine(high.id);
      await endLongCalls(stack, 120);
      await allDone(stack, [low, high]);
      const [ofLow, ofHigh] = [await low.dials(), await high.dials()];
      // From its first dial on it has all lines, except for calls of others that still last, and an occasional one in between.
      const between = ofLow.filter(
        ({ gatedAt }) =>
          gatedAt > (ofHigh.at(0)?.gatedAt ?? gatedAt) && gatedAt < (ofHigh.at(-4)?.gatedAt ?? gatedAt),
      );
      expect(between.length).toBeLessThanOrEqual(8);
      expect(mostAtOnce(await recordedDials(stack.db))).toBeLessThanOrEqual(4);
    },
  );

  test('a number is never in two live calls of an organization', async () => {
    const stack = await useStack({
      backend,
      workers: 2,
      simulator: { talkMs: 1_000 },
      // The test clock runs far ahead of the timers of a call that waits for its number.
      settings: { callQueueTimeoutSeconds: 3_600 },
    });
    const organization = await stack.organization();
    const numbers = phoneNumbers(3);
    const campaigns = [
      await runCampaign(stack, organization, { phone_numbers: numbers }),
      await runCampaign(stack, organization, { phone_numbers: numbers }),
    ];
    const call = await organization.clients.member.makeCall(organization.agentId, {
      to_phone: numbers[0] ?? '',
    });
    await waitFor('every number to be dialed', async () => (await recordedDials(stack.db)).length >= 3);
    await waitFor('both campaigns and the call to end', async () => {
      // Recipients whose numbers were in another call are tried again later.
      await stack.clock.advance(2_000);
      const isDialed = (await recordedDials(stack.db)).some((dial) => dial.callId === call.id);
      return isDialed && (await allFinished(stack, campaigns)) && (await linesInUse(stack.db)) === 0;
    });
    const dials = await recordedDials(stack.db);
    expect(dials.map((dial) => dial.attempt)).toEqual(dials.map(() => 1));
    expect(dials).toHaveLength(2 * numbers.length + 1);
    for (const number of numbers) {
      expect(mostAtOnce(dials.filter((dial) => dial.phone === number))).toBe(1);
    }
  });
});
