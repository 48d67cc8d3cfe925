import { connect, type Db } from '@outdial/db';
import {
  advanceCampaign,
  checkCalls,
  createCampaignContexts,
  createGateBatcher,
  createProgressRecorder,
  placeCampaignCall,
  placeDirectCall,
  withdrawRecipients,
  type ControlDeps,
  type PlaceDeps,
} from '@outdial/engine';
import type { TelephonyProvider } from '@outdial/core';
import { advanceCampaignJob, checkCallJob, placeCallJob, withdrawRecipientsJob } from '@outdial/contracts';
import type { PublishedJob, JobBox } from './job-box.ts';

/** A worker without a queue, which runs jobs on the scenario's command. */
export interface ScenarioEngine {
  deps: PlaceDeps;
  db: Db;
  /** Runs one job like its handler; returns the result of a placement. */
  run(job: PublishedJob): Promise<unknown>;
  /** Runs the jobs in the box, and the jobs that they publish, until none is left. */
  settle(): Promise<void>;
}

export const scenarioSettings = {
  leaseSeconds: 10,
  ringTimeoutSeconds: 20,
  maxCallSeconds: 60,
  callQueueTimeoutSeconds: 60,
} as const;

/** Timers are off: sweeps do their work. */
const noTimers = { set: () => undefined, close: () => undefined };
const roundsAtMost = 200;

export function createScenarioEngine(args: {
  databaseUrl: string;
  name: string;
  jobs: JobBox;
  providers: ReadonlyMap<string, TelephonyProvider>;
  log: ControlDeps['log'];
}): ScenarioEngine {
  const db = connect({
    databaseUrl: args.databaseUrl,
    poolMax: 6,
    applicationName: args.name,
    onIdleError: () => undefined,
  });
  const dialing = {
    db,
    publisher: args.jobs,
    log: args.log,
    providers: args.providers,
    settings: scenarioSettings,
    timers: noTimers,
    metrics: { callPlaced: () => undefined, callEnded: () => undefined, gateRefused: () => undefined },
  };
  const deps: PlaceDeps = {
    ...dialing,
    progress: createProgressRecorder(dialing),
    checker: { checkIn: () => undefined, check: (ids) => checkCalls(deps, ids) },
    contexts: createCampaignContexts(db),
    gateBatcher: createGateBatcher(db),
  };
  const engine: ScenarioEngine = {
    deps,
    db,
    async run({ job, payload }) {
      switch (job) {
        case advanceCampaignJob.name:
          return advanceCampaign(deps, advanceCampaignJob.payload.parse(payload).campaign_id);
        case checkCallJob.name:
          return checkCalls(deps, [checkCallJob.payload.parse(payload).call_id]);
        case withdrawRecipientsJob.name:
          return withdrawRecipients(deps, withdrawRecipientsJob.payload.parse(payload).campaign_id);
        default:
          return place(deps, payload);
      }
    },
    async settle() {
      for (let round = 0; round < roundsAtMost; round++) {
        const jobs = args.jobs.take();
        if (jobs.length === 0) return;
        for (const job of jobs) await engine.run(job);
      }
      throw new Error('the jobs never came to an end');
    },
  };
  return engine;
}

async function place(deps: PlaceDeps, payload: unknown): Promise<unknown> {
  const job = placeCallJob.payload.parse(payload);
  if (job.call_id !== undefined) return placeDirectCall(deps, job.call_id);
  if (!job.recipient_id || !job.campaign_id || !job.organization_id) return null;
  return placeCampaignCall(deps, {
    organizationId: job.organization_id,
    campaignId: job.campaign_id,
    recipientId: job.recipient_id,
    claimId: job.claim_id,
    attempt: job.attempt,
  });
}
