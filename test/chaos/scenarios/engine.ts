import { connect, type Db } from '@outdial/db';
import {
  checkCalls,
  createDialer,
  createHeldTurns,
  createProgressRecorder,
  dialDue,
  inGate,
  placeDirectCall,
  sendCall,
  withdrawRecipients,
  type ControlDeps,
  type GatedCall,
  type SendDeps,
  ProviderQuestions,
} from '@outdial/engine';
import { Turns, type TelephonyProvider } from '@outdial/core';
import { advanceCampaignJob, checkCallJob, placeCallJob, withdrawRecipientsJob } from '@outdial/contracts';
import type { PublishedJob, JobBox } from './job-box.ts';

/** A worker without a queue, which runs jobs on the scenario's command. */
export interface ScenarioEngine {
  deps: SendDeps;
  db: Db;
  /** Runs one job like its handler, until its calls are sent; returns the result of a direct call. */
  run(job: PublishedJob): Promise<unknown>;
  /** One transaction of an advance. Returns the calls that it dialed, which are not sent. */
  dial(campaignId: unknown, places?: number): Promise<GatedCall[]>;
  /** Sends a dialed call; returns what became of it. */
  send(call: GatedCall): ReturnType<typeof sendCall>;
  /** Runs the jobs in the box, and the jobs that they publish, until none is left. */
  settle(): Promise<void>;
}

/** With the deadline of production for sends. */
export const dialingSettings = {
  ringTimeoutSeconds: 20,
  maxCallSeconds: 60,
  callQueueTimeoutSeconds: 60,
} as const;

/** A send that misses its deadline is undone. These allow more time than production does, because the machine may stall. */
export const scenarioSettings = { ...dialingSettings, sendStartMs: 20_000 } as const;

/** Timers are off: sweeps do their work. */
const noTimers = { set: () => undefined, close: () => undefined };
const roundsAtMost = 200;
const dialsAtOnce = 100;

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
  const deps: SendDeps = {
    ...dialing,
    progress: createProgressRecorder(dialing),
    checker: { checkIn: () => undefined, check: (ids) => checkCalls(deps, ids) },
    questions: new ProviderQuestions(),
    held: createHeldTurns(),
  };
  // As many as the dialer's.
  const transactions = new Turns({ atOnce: 4 });
  const engine: ScenarioEngine = {
    deps,
    db,
    async run({ job, payload }) {
      switch (job) {
        case advanceCampaignJob.name:
          return advance(deps, advanceCampaignJob.payload.parse(payload).campaign_id);
        case checkCallJob.name:
          return checkCalls(deps, [checkCallJob.payload.parse(payload).call_id]);
        case withdrawRecipientsJob.name:
          return withdrawRecipients(deps, withdrawRecipientsJob.payload.parse(payload).campaign_id);
        default:
          return placeDirectCall(deps, placeCallJob.payload.parse(payload).call_id);
      }
    },
    async dial(campaignId, places = dialsAtOnce) {
      const id = String(campaignId);
      const dial = () => inGate(db, (tx) => dialDue(tx, deps, [id], () => places));
      const step = (await transactions.run('', dial)).steps.get(id);
      return step?.kind === 'moved' ? step.calls : [];
    },
    send: (call) => sendCall(deps, call),
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

/** A dialer for one advance, until all of its calls are sent. */
async function advance(deps: SendDeps, campaignId: string): Promise<void> {
  const dialer = createDialer(deps, { placesOfProvider: 2 * dialsAtOnce });
  await dialer.advance(campaignId);
  await dialer.close();
}
