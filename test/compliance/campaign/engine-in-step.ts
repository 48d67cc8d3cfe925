import {
  advanceCampaignJob,
  checkCallJob,
  placeCallJob,
  type JobDefinition,
  type JobInput,
} from '@outdial/contracts';
import type { TelephonyProvider } from '@outdial/core';
import {
  finishCampaign,
  forgetCalledPeople,
  forgetCallerIdUses,
  forgetScrubbedNumbers,
  inTransaction,
  type Db,
} from '@outdial/db';
import {
  checkCalls,
  checkDueCalls,
  createCallChecker,
  createHeldTurns,
  createProgressRecorder,
  dialDue,
  inGate,
  endWaitingForSuppressed,
  placeDirectCall,
  rekeyRecipients,
  sendCall,
  wakeDueCampaigns,
  type SendDeps,
  ProviderQuestions,
} from '@outdial/engine';
import { buildProvider } from '@outdial/providers';
import { sql } from 'kysely';
import type { Stack } from '../../support/stack/start-stack.ts';
import { withoutCallerId, type WithoutCallerId } from './without-caller-id.ts';

/** How many a transaction dials. */
const dialsAtOnce = 100;
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
  deps: SendDeps;
  /** Adds a requested direct call; `settle` places it. */
  announce(callId: string): void;
  /** The number of refusals by the gate, by reason. */
  refusals: Map<string, number>;
  without: WithoutCallerId;
}

interface Jobs {
  advances: Set<string>;
  checks: Set<string>;
  direct: Set<string>;
}

/** A worker's dependencies, for a simulated carrier that differs in this. */
export function withCarrier({ deps }: EngineInStep, differs: Partial<TelephonyProvider>): SendDeps {
  const simulator = deps.providers.get('simulator');
  if (simulator === undefined) throw new Error('no simulator');
  return { ...deps, providers: new Map([['simulator', { ...simulator, ...differs }]]) };
}

export function engineInStep(stack: Stack): EngineInStep {
  const without = withoutCallerId(stack.db);
  const jobs: Jobs = { advances: new Set(), checks: new Set(), direct: new Set() };
  const refusals = new Map<string, number>();
  const deps = placeDeps(stack, jobs, refusals);

  async function sweep(): Promise<void> {
    await endWaitingForSuppressed(deps);
    await checkDueCalls(deps);
    await rekeyRecipients(deps);
    await wakeDueCampaigns(deps);
  }

  async function work(): Promise<boolean> {
    const { advances, checks, direct } = jobs;
    if (advances.size + checks.size + direct.size === 0) return false;
    const due = { advances: [...advances], checks: [...checks] };
    const directCalls = [...direct];
    advances.clear();
    checks.clear();
    direct.clear();
    for (const callId of directCalls) await placeDirect(callId);
    for (const campaignId of due.advances) await advance(campaignId);
    await checkCalls(deps, due.checks);
    await deps.progress.drain();
    return true;
  }

  async function advance(campaignId: string): Promise<void> {
    const organizationId = await organizationOf(stack.db, campaignId);
    for (;;) {
      const nothing = refusals.get('no_caller_id');
      const dialing = inGate(stack.db, (tx) => dialDue(tx, deps, [campaignId], () => dialsAtOnce));
      const step = (await dialing).steps.get(campaignId);
      if (refusals.get('no_caller_id') !== nothing) await without.note({ organizationId, campaignId });
      if (step?.kind === 'finish') {
        await inTransaction(stack.db, (tx) => finishCampaign(tx, { organizationId, campaignId }));
      }
      if (step?.kind !== 'moved') return;
      await Promise.all(step.calls.map((call) => sendCall(deps, call)));
      if (!step.more) return;
    }
  }

  /** Waits for a call that is about to end, such as another one to the same number. */
  async function placeDirect(callId: string): Promise<void> {
    for (let tried = 0; tried < directTriesAtMost; tried++) {
      const atMs = (await stack.clock.now()).getTime();
      const placed = await placeDirectCall(deps, callId);
      await deps.progress.drain();
      if (placed.kind !== 'waiting') return;
      if (placed.reason === 'no_caller_id') await without.noteWaiting({ callId, atMs });
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
    without,
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

function placeDeps(stack: Stack, jobs: Jobs, refusals: Map<string, number>): SendDeps {
  const { control } = stack;
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
    settings: { ringTimeoutSeconds: 30, maxCallSeconds: 600, callQueueTimeoutSeconds: 60 },
    timers,
    metrics: {
      callPlaced: () => undefined,
      callEnded: () => undefined,
      gateRefused: (reason: string) => refusals.set(reason, (refusals.get(reason) ?? 0) + 1),
    },
  };
  const place: SendDeps = {
    ...dialing,
    progress: createProgressRecorder(dialing),
    checker: createCallChecker({ timers, check: (ids) => checkCalls(place, ids), onError: () => undefined }),
    questions: new ProviderQuestions(),
    held: createHeldTurns(),
  };
  return place;
}

async function organizationOf(db: Db, campaignId: string): Promise<string> {
  const row = await db
    .selectFrom('campaigns')
    .select('organization_id')
    .where('id', '=', campaignId)
    .executeTakeFirstOrThrow();
  return row.organization_id;
}

/** Stores the jobs of dialing, and drops the others. */
function publisherInto(jobs: Jobs): SendDeps['publisher'] {
  function take<Job extends JobDefinition>(job: Job, payload: JobInput<Job>): void {
    if (job.name === advanceCampaignJob.name) {
      jobs.advances.add(advanceCampaignJob.payload.parse(payload).campaign_id);
    }
    if (job.name === checkCallJob.name) jobs.checks.add(checkCallJob.payload.parse(payload).call_id);
    if (job.name === placeCallJob.name) jobs.direct.add(placeCallJob.payload.parse(payload).call_id);
  }
  async function takeAll<Job extends JobDefinition>(job: Job, payloads: ReadonlyArray<JobInput<Job>>) {
    for (const payload of payloads) take(job, payload);
  }
  return {
    publish: (job, payload) => takeAll(job, [payload]),
    publishMany: takeAll,
    ping: () => Promise.resolve(null),
    close: () => Promise.resolve(),
  };
}
