import {
  advanceCampaignJob,
  checkCallJob,
  placeCallJob,
  type JobDefinition,
  type JobInput,
} from '@outdial/contracts';
import { forgetCalledPeople, forgetCallerIdUses, forgetScrubbedNumbers } from '@outdial/db';
import {
  advanceCampaign,
  checkCalls,
  checkDueCalls,
  createCallChecker,
  createCampaignContexts,
  createGateBatcher,
  createProgressRecorder,
  endWaitingForSuppressed,
  placeCampaignCall,
  placeDirectCall,
  rekeyRecipients,
  releaseExpiredClaims,
  wakeDueCampaigns,
  type PlaceDeps,
} from '@outdial/engine';
import { buildProvider } from '@outdial/providers';
import { sql } from 'kysely';
import type { Stack } from '../../support/stack/start-stack.ts';
import {
  claimsWithoutCallerId,
  leaseSeconds,
  type ClaimsWithoutCallerId,
} from './claims-without-caller-id.ts';

/** The concurrent placements of a worker. */
const placementsAtOnce = 100;
const directTriesAtMost = 5;
/** Work that is due within this time is also done, by moving the clock. */
const nearMs = 2_000;
/** Data that sweeps delete. */
const rowsAtOnce = 5_000;

/**
 * The engine of a worker and the sweeps of a scheduler, with jobs in memory. Each call runs all due work. Nothing runs in the background, so weeks
 * pass as fast as their calls can be made.
 */
export interface EngineInStep {
  /** Runs all due work. */
  settle(): Promise<void>;
  deps: PlaceDeps;
  /** Adds a requested direct call; `settle` places it. */
  announce(callId: string): void;
  /** The number of refusals by the gate, by reason. */
  refusals: Map<string, number>;
  /** For the checker, because no dial shows them. */
  claims: ClaimsWithoutCallerId;
}

type CampaignCallJob = Parameters<typeof placeCampaignCall>[1];

interface Jobs {
  claims: ClaimsWithoutCallerId;
  advances: Set<string>;
  placements: CampaignCallJob[];
  checks: Set<string>;
  direct: Set<string>;
}

export function engineInStep(stack: Stack): EngineInStep {
  const claims = claimsWithoutCallerId(stack.db);
  const jobs: Jobs = { claims, advances: new Set(), placements: [], checks: new Set(), direct: new Set() };
  const refusals = new Map<string, number>();
  const deps = placeDeps(stack, jobs, refusals);

  async function sweep(): Promise<void> {
    await releaseExpiredClaims(deps);
    await endWaitingForSuppressed(deps);
    await checkDueCalls(deps);
    await rekeyRecipients(deps);
    await wakeDueCampaigns(deps);
  }

  async function work(): Promise<boolean> {
    const { advances, placements, checks, direct } = jobs;
    if (advances.size + placements.length + checks.size + direct.size === 0) return false;
    const due = { advances: [...advances], placements: placements.splice(0), checks: [...checks] };
    const directCalls = [...direct];
    advances.clear();
    checks.clear();
    direct.clear();
    for (const callId of directCalls) await placeDirect(callId);
    for (const campaignId of due.advances) await advanceCampaign(deps, campaignId);
    while (due.placements.length > 0) {
      const some = due.placements.splice(0, placementsAtOnce);
      await Promise.all(some.map((job) => placeCampaignCall(deps, job)));
    }
    await checkCalls(deps, due.checks);
    await deps.progress.drain();
    return true;
  }

  /** Waits for a call that is about to end, such as another one to the same number. */
  async function placeDirect(callId: string): Promise<void> {
    for (let tried = 0; tried < directTriesAtMost; tried++) {
      const atMs = (await stack.clock.now()).getTime();
      const placed = await placeDirectCall(deps, callId);
      await deps.progress.drain();
      if (placed.kind !== 'waiting') return;
      if (placed.reason === 'no_caller_id') await claims.noteWaiting({ callId, atMs });
    }
  }

  async function nextNear(): Promise<Date | null> {
    const { rows } = await sql<{ at: Date | null }>`
      select min(rt.wake_at) as at from campaign_runtime rt join campaigns c on c.id = rt.campaign_id
      where c.status = 'running' and rt.wake_at <= engine_now() + ${nearMs} * interval '1 millisecond'`.execute(
      stack.db,
    );
    return rows[0]?.at ?? null;
  }

  return {
    deps,
    refusals,
    claims,
    announce: (callId) => jobs.direct.add(callId),
    async settle() {
      for (;;) {
        await sweep();
        while (await work());
        const at = await nextNear();
        if (at === null) break;
        if (at > (await stack.clock.now())) await stack.clock.set(at);
      }
      await forgetCallerIdUses(deps.db, rowsAtOnce);
      await forgetCalledPeople(deps.db, rowsAtOnce);
      await forgetScrubbedNumbers(deps.db, rowsAtOnce);
    },
  };
}

function placeDeps(stack: Stack, jobs: Jobs, refusals: Map<string, number>): PlaceDeps {
  const { db, control } = stack;
  const simulator = buildProvider(
    { name: 'simulator', adapter: 'simulator', settings: {} },
    { simulator: { ringMs: 0, talkMs: 0 } },
  );
  if (simulator === null) throw new Error('no simulator');
  // The sweep of the next step replaces short timers.
  const timers = { set: () => undefined, close: () => undefined };
  const dialing = {
    ...control,
    publisher: publisherInto(jobs),
    providers: new Map([['simulator', simulator]]),
    settings: { leaseSeconds, ringTimeoutSeconds: 30, maxCallSeconds: 600, callQueueTimeoutSeconds: 60 },
    timers,
    metrics: {
      callPlaced: () => undefined,
      callEnded: () => undefined,
      gateRefused: (reason: string) => refusals.set(reason, (refusals.get(reason) ?? 0) + 1),
    },
  };
  const place: PlaceDeps = {
    ...dialing,
    progress: createProgressRecorder(dialing),
    checker: createCallChecker({ timers, check: (ids) => checkCalls(place, ids), onError: () => undefined }),
    contexts: createCampaignContexts(db),
    gateBatcher: createGateBatcher(db),
  };
  return place;
}

/** An advance publishes the claims of one transaction before it claims more. */
async function noteClaims(claims: ClaimsWithoutCallerId, placements: CampaignCallJob[]): Promise<void> {
  const [first] = placements;
  if (first === undefined) return;
  const { organizationId, campaignId } = first;
  await claims.note({ organizationId, campaignId, claimIds: placements.map(({ claimId }) => claimId) });
}

/** Stores the jobs of dialing, and drops the others. */
function publisherInto(jobs: Jobs): PlaceDeps['publisher'] {
  function take<Job extends JobDefinition>(job: Job, payload: JobInput<Job>): void {
    if (job.name === advanceCampaignJob.name) {
      jobs.advances.add(advanceCampaignJob.payload.parse(payload).campaign_id);
    }
    if (job.name === checkCallJob.name) jobs.checks.add(checkCallJob.payload.parse(payload).call_id);
    if (job.name !== placeCallJob.name) return;
    const { call_id, organization_id, campaign_id, recipient_id, claim_id, attempt } =
      placeCallJob.payload.parse(payload);
    if (call_id !== undefined) jobs.direct.add(call_id);
    if (!organization_id || !campaign_id || !recipient_id) return;
    jobs.placements.push({
      organizationId: organization_id,
      campaignId: campaign_id,
      recipientId: recipient_id,
      claimId: claim_id,
      attempt,
    });
  }
  async function takeAll<Job extends JobDefinition>(job: Job, payloads: ReadonlyArray<JobInput<Job>>) {
    const before = jobs.placements.length;
    for (const payload of payloads) take(job, payload);
    await noteClaims(jobs.claims, jobs.placements.slice(before));
  }
  return {
    publish: (job, payload) => takeAll(job, [payload]),
    publishMany: takeAll,
    ping: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}
