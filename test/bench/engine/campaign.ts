import { setTimeout as sleep } from 'node:timers/promises';
import { createCampaign, setCampaignConfig, setCampaignStatus } from '@outdial/engine';
import type { World } from './bed.ts';
import { quiet } from './bed.ts';

/** Numbers that the simulated carrier answers. */
export function answeringNumbers(count: number): string[] {
  return Array.from({ length: count }, (_, n) => `+1555${String(n * 100).padStart(9, '0')}`);
}

function depsOf(world: World) {
  return { db: world.db, publisher: world.publisher, log: quiet, installationProvider: 'simulator' };
}

/** A paused campaign that may dial at any time. */
export async function makeCampaign(
  world: World,
  args: { recipients: number; lines: number; callsPerSecond?: number },
): Promise<string> {
  const deps = depsOf(world);
  const { campaignId } = await createCampaign(deps, {
    organizationId: world.organizationId,
    userId: world.userId,
    fields: {
      name: 'Bench',
      agent_id: world.agentId,
      phone_numbers: answeringNumbers(args.recipients),
      status: 'paused',
      additional_params: { prompt_params: { name: 'Ada' } },
    },
  });
  await setCampaignConfig(deps, {
    organizationId: world.organizationId,
    campaignId,
    changes: {
      callOnWeekend: true,
      maxConcurrentCalls: args.lines,
      ...(args.callsPerSecond !== undefined && { callsPerSecond: args.callsPerSecond }),
    },
  });
  return campaignId;
}

export async function runCampaign(world: World, campaignId: string): Promise<void> {
  const { organizationId, userId } = world;
  await setCampaignStatus(depsOf(world), { organizationId, campaignId, status: 'running', userId });
}

/** From now to the end of a campaign, in seconds. */
export async function secondsToFinish(
  world: World,
  campaignId: string,
  limitSeconds: number,
): Promise<number> {
  const startedMs = performance.now();
  for (;;) {
    const row = await world.db
      .selectFrom('campaigns')
      .select('status')
      .where('id', '=', campaignId)
      .executeTakeFirstOrThrow();
    const seconds = (performance.now() - startedMs) / 1000;
    if (row.status === 'finished') return seconds;
    if (seconds > limitSeconds) throw new Error(`the campaign did not finish in ${limitSeconds} s`);
    await sleep(50);
  }
}
