import {
  advanceCampaignJob,
  checkCallJob,
  placeCallJob,
  withdrawRecipientsJob,
  type JobDefinition,
  type JobInput,
} from '@outdial/contracts';
import { type LineWaiters, organizationsOfCampaigns, type Db } from '@outdial/db';
import type { ControlDeps } from './deps.ts';
import { LRUCache } from 'lru-cache';

type EnqueueDeps = Pick<ControlDeps, 'publisher' | 'log' | 'dialer'>;
type CampaignEnqueueDeps = EnqueueDeps & Pick<ControlDeps, 'db'>;

/** Publishes jobs after a commit. Only logs an error if the queue is down, because sweeps publish jobs again for everything due in the tables. */
async function enqueue<Job extends JobDefinition>(
  deps: EnqueueDeps,
  job: Job,
  payloads: ReadonlyArray<JobInput<Job>>,
  options?: { first?: boolean },
): Promise<void> {
  if (payloads.length === 0) return;
  try {
    const [only] = payloads;
    if (payloads.length === 1 && only !== undefined) await deps.publisher.publish(job, only, options);
    else await deps.publisher.publishMany(job, payloads, options);
  } catch (error) {
    deps.log.warn(
      { err: error, job: job.name, count: payloads.length },
      'could not publish jobs; a sweep will publish them',
    );
  }
}

/**
 * Advances campaigns: in this process if it dials, otherwise by jobs.
 * @param organizationId theirs, if the caller knows it
 */
export async function enqueueAdvance(
  deps: CampaignEnqueueDeps,
  campaignIds: Iterable<string>,
  organizationId?: string,
): Promise<void> {
  if (deps.dialer) return deps.dialer.wake(campaignIds);
  await enqueue(deps, advanceCampaignJob, await withOwners(deps, [...new Set(campaignIds)], organizationId));
}

/** With the organization of each campaign, whose turn the job takes. */
async function withOwners(
  { db, log }: CampaignEnqueueDeps,
  campaignIds: readonly string[],
  organizationId?: string,
) {
  if (organizationId !== undefined) {
    return campaignIds.map((id) => ({ campaign_id: id, organization_id: organizationId }));
  }
  if (campaignIds.length === 0) return [];
  const owners = await ownersOf(db, campaignIds).catch((error: unknown) => {
    log.warn({ err: error }, 'could not read the organizations of campaigns; their jobs take turns as one');
    return new Map<string, string>();
  });
  return campaignIds.map((id) => ({ campaign_id: id, organization_id: owners.get(id) }));
}

/** Direct calls go before jobs that already wait in the queue. */
export async function enqueueDirectCalls(deps: EnqueueDeps, callIds: readonly string[]): Promise<void> {
  await enqueue(
    deps,
    placeCallJob,
    callIds.map((call_id) => ({ call_id })),
    { first: true },
  );
}

export async function enqueueChecks(deps: EnqueueDeps, callIds: readonly string[]): Promise<void> {
  await enqueue(
    deps,
    checkCallJob,
    callIds.map((call_id) => ({ call_id })),
  );
}

export async function enqueueWithdrawals(
  deps: CampaignEnqueueDeps,
  campaignIds: readonly string[],
): Promise<void> {
  await enqueue(deps, withdrawRecipientsJob, await withOwners(deps, campaignIds));
}

/** Also advances the campaigns that released the lines. */
export async function enqueueLineWaiters(
  deps: CampaignEnqueueDeps,
  lineWaiters: LineWaiters,
  ...campaignIds: string[]
): Promise<void> {
  await enqueueDirectCalls(deps, lineWaiters.queuedCallIds);
  await enqueueAdvance(deps, [...lineWaiters.campaignIds, ...campaignIds]);
}

const rememberedAtMost = 50_000;

/** By campaign. A campaign never changes its organization. */
const owners = new WeakMap<Db, LRUCache<string, string>>();

/** The organizations of campaigns. Those of campaigns that do not exist any more are missing. */
async function ownersOf(db: Db, campaignIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const known = owners.get(db) ?? new LRUCache({ maxSize: rememberedAtMost, sizeCalculation: () => 1 });
  owners.set(db, known);
  const unknown = campaignIds.filter((id) => !known.has(id));
  if (unknown.length > 0) {
    for (const [id, owner] of await organizationsOfCampaigns(db, unknown)) known.set(id, owner);
  }
  return new Map(
    campaignIds.flatMap((id) => {
      const owner = known.get(id);
      return owner === undefined ? [] : [[id, owner] as const];
    }),
  );
}
