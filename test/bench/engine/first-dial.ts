import { setTimeout as sleep } from 'node:timers/promises';
import { engineNow } from '@outdial/db';
import type { Backend, Bed } from './bed.ts';
import { makeCampaign, runCampaign } from './campaign.ts';

/** Milliseconds from the request that sets a campaign running to its first gate, by the database's clock. */
export async function firstDialMs(bed: Bed, backend: Backend, rounds: number): Promise<number[]> {
  const world = await bed.world(backend);
  try {
    world.start('scheduler/src/main.ts');
    world.start('worker/src/main.ts');
    await sleep(2_000);
    const waits: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const campaignId = await makeCampaign(world, { recipients: 1, lines: 1 });
      const askedAt = await engineNow(world.db);
      await runCampaign(world, campaignId);
      waits.push((await gatedAt(world.db, campaignId)).getTime() - askedAt.getTime());
    }
    return waits;
  } finally {
    await world.close();
  }
}

async function gatedAt(db: Awaited<ReturnType<Bed['world']>>['db'], campaignId: string): Promise<Date> {
  for (let tried = 0; tried < 1_000; tried++) {
    const call = await db
      .selectFrom('calls')
      .select('gated_at')
      .where('campaign_id', '=', campaignId)
      .executeTakeFirst();
    if (call?.gated_at) return call.gated_at;
    await sleep(10);
  }
  throw new Error('nothing was dialed in ten seconds');
}
