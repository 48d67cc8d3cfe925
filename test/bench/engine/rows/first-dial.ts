import { setTimeout as sleep } from 'node:timers/promises';
import { engineNow } from '@outdial/db';
import { makeCampaign, runCampaign } from '../campaign.ts';
import { metIf, type Program, repeated } from '../program.ts';
import { median, quantile } from '../statistics.ts';
import type { World } from '../world.ts';

const goalP50Ms = 9;
const goalP99Ms = 150;

/** Measures the time from the request that starts a campaign to its first gate, by the database's clock. */
export const firstDial: Program = {
  name: 'first-dial',
  title: 'The first dial',
  async run(bed, { quick }) {
    const campaigns = quick ? 10 : 100;
    return bed.inWorld('redis', async (world) => {
      await world.startEngine();
      const waitsMs = await repeated(campaigns, () => firstDialMs(world));
      const p50 = median(waitsMs);
      const p99 = quantile(waitsMs, 0.99);
      const finding = {
        what: `from \`running\` to the first dial, ms, ${campaigns} campaigns (p50, p99)`,
        baseline: '–',
        goal: `p50 at most ${goalP50Ms}, p99 under ${goalP99Ms}`,
        measured: `${p50}, ${p99}`,
        spread: `${Math.min(...waitsMs)}–${Math.max(...waitsMs)}`,
        verdict: metIf(p50 <= goalP50Ms && p99 < goalP99Ms),
      };
      return { findings: [finding], plots: [], notes: [] };
    });
  },
};

async function firstDialMs(world: World): Promise<number> {
  const campaignId = await makeCampaign(world, { recipients: 1, lines: 1 });
  const askedAt = await engineNow(world.db);
  await runCampaign(world, campaignId);
  return (await firstGate(world, campaignId)).getTime() - askedAt.getTime();
}

/** Waits for the campaign's first gate, and returns its instant. */
export async function firstGate(world: World, campaignId: string): Promise<Date> {
  for (let tried = 0; tried < 1_000; tried++) {
    const call = await world.db
      .selectFrom('calls')
      .select('gated_at')
      .where('campaign_id', '=', campaignId)
      .orderBy('gated_at')
      .limit(1)
      .executeTakeFirst();
    if (call?.gated_at) return call.gated_at;
    await sleep(10);
  }
  throw new Error('nothing was dialed in ten seconds');
}
