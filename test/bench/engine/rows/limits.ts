import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Bed } from './bed.ts';
import { makeCampaign, runCampaign, secondsToFinish } from './campaign.ts';

const workers = 4;
const talkSeconds = 2;

export interface PaceUse {
  /** Of the rate, over the whole campaign. */
  used: number;
  mostInASecond: number;
}

/** How much of a campaign's calls per second four workers use, by the instants of the gates. */
export async function paceUse(bed: Bed, callsPerSecond: number): Promise<PaceUse> {
  const recipients = callsPerSecond * 12;
  return measure(bed, { recipients, lines: 100, callsPerSecond }, {}, async (db) => {
    const { rows } = await sql<{ seconds: number; most: number }>`
      select extract(epoch from max(gated_at) - min(gated_at))::float8 as seconds,
        (select max(n) from (
          select count(*) over (order by gated_at range between current row and interval '999 milliseconds' following) as n
          from calls) windows)::int as most
      from calls`.execute(db);
    const [row] = rows;
    return { used: (recipients - 1) / (row?.seconds ?? 0) / callsPerSecond, mostInASecond: row?.most ?? 0 };
  });
}

/** How much of a campaign's lines four workers keep in use while there is work, its first conversations not counted. */
export async function lineUse(bed: Bed, lines: number): Promise<number> {
  const env = { SIMULATOR_RING_MS: '200', SIMULATOR_TALK_MS: String(talkSeconds * 1000 - 200) };
  return measure(bed, { recipients: lines * 10, lines }, env, async (db) => {
    const { rows } = await sql<{ used: number }>`
      with span as (
        select min(gated_at) + ${talkSeconds} * interval '1 second' as began, max(gated_at) as ended from calls)
      select (sum(greatest(0, extract(epoch from least(c.ended_at, ended) - greatest(c.gated_at, began))))
              / extract(epoch from max(ended) - max(began)))::float8 as used
      from calls c, span`.execute(db);
    return (rows[0]?.used ?? 0) / lines;
  });
}

async function measure<Figure>(
  bed: Bed,
  campaign: { recipients: number; lines: number; callsPerSecond?: number },
  env: Record<string, string>,
  read: (db: Awaited<ReturnType<Bed['world']>>['db']) => Promise<Figure>,
): Promise<Figure> {
  const world = await bed.world('redis');
  try {
    world.start('scheduler/src/main.ts', env);
    for (let n = 0; n < workers; n++) world.start('worker/src/main.ts', env);
    const campaignId = await makeCampaign(world, campaign);
    await sleep(3_000);
    await runCampaign(world, campaignId);
    await secondsToFinish(world, campaignId, 120);
    return await read(world.db);
  } finally {
    await world.close();
  }
}
