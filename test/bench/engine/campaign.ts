import { setTimeout as sleep } from 'node:timers/promises';
import { createCampaign, setCampaignConfig, setCampaignStatus } from '@outdial/engine';
import { quiet, type World } from './world.ts';

/**
 * Numbers that the simulated carrier answers. `first` keeps the lists of several campaigns apart. An area code has 100,000 of them, without the
 * exchange 976, which is premium.
 */
export function answeringNumbers(count: number, first = 0): string[] {
  return Array.from({ length: count }, (_, n) => {
    const areas = Math.floor((first + n) / 99_900);
    const inArea = (first + n) % 99_900;
    return `+1${5_550_000_000 + areas * 10_000_000 + (inArea < 97_600 ? inArea : inArea + 100) * 100}`;
  });
}

function depsOf(world: World, provider = 'simulator') {
  return { db: world.db, publisher: world.publisher, log: quiet, installationProvider: provider };
}

export interface CampaignShape {
  recipients: number;
  lines: number;
  callsPerSecond?: number;
  /** The index of its first number. Lists must not overlap, because an organization has at most one live call to a number. */
  firstNumber?: number;
  startDate?: Date;
}

/** A paused campaign that may dial at any time. */
export async function makeCampaign(world: World, shape: CampaignShape): Promise<string> {
  const deps = depsOf(world);
  const { campaignId } = await createCampaign(deps, {
    organizationId: world.organizationId,
    userId: world.userId,
    fields: {
      name: 'Bench',
      agent_id: world.agentId,
      phone_numbers: answeringNumbers(shape.recipients, shape.firstNumber),
      status: 'paused',
      additional_params: { prompt_params: { name: 'Ada' } },
      ...(shape.startDate && { start_date: shape.startDate.toISOString() }),
    },
  });
  await configure(world, campaignId, {
    max_concurrent_calls: shape.lines,
    calls_per_second: shape.callsPerSecond ?? null,
  });
  return campaignId;
}

export async function configure(
  world: World,
  campaignId: string,
  body: { max_concurrent_calls?: number; calls_per_second?: number | null },
): Promise<void> {
  const { organizationId } = world;
  await setCampaignConfig(depsOf(world), {
    organizationId,
    campaignId,
    body: { call_on_weekend: true, ...body },
  });
}

/** @param provider carries the campaign's calls from now on */
export async function runCampaign(world: World, campaignId: string, provider?: string): Promise<void> {
  const { organizationId, userId } = world;
  await setCampaignStatus(depsOf(world, provider), { organizationId, campaignId, status: 'running', userId });
}

export async function pauseCampaign(world: World, campaignId: string): Promise<void> {
  const { organizationId } = world;
  await setCampaignStatus(depsOf(world), { organizationId, campaignId, status: 'paused' });
}

/** Seconds from now until the campaign has finished. */
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
    await sleep(20);
  }
}

/** Resolves when no call is in progress. */
export async function callsEnded(world: World): Promise<void> {
  for (;;) {
    const live = await world.db
      .selectFrom('calls')
      .select('id')
      .where('phase', 'in', ['placing', 'ringing', 'answered'])
      .limit(1)
      .execute();
    if (live.length === 0) return;
    await sleep(50);
  }
}
