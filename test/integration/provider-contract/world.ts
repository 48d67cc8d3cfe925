import { createApp, startServer, type ApiConfig } from '@outdial/api';
import type { TelephonyProvider } from '@outdial/core';
import {
  connect,
  createApiKey,
  createPostgresFileStore,
  engineNow,
  ensureProvider,
  inTransaction,
  setProvider,
  type Database,
  type Db,
} from '@outdial/db';
import {
  createCampaign,
  createProviderDirectory,
  enqueueDirectCalls,
  requestCallIn,
  setCampaignConfig,
  setCampaignStatus,
  type EndingDeps,
  type DialingSettings,
} from '@outdial/engine';
import { openPublisher, openQueues } from '@outdial/queues';
import { createMetrics, systemClock } from '@outdial/runtime';
import { startScheduler } from '@outdial/scheduler';
import { startWorker, type RunningWorker } from '@outdial/worker';
import type { Selectable } from 'kysely';
import { createTestDatabase } from '../../support/database.ts';
import { anyBackend } from '../../support/queues.ts';
import { createEngineClock, type EngineClock } from '../../support/stack/engine-clock.ts';
import { makeOrganization, type TestOrganization } from '../../support/stack/organization.ts';
import { openTestQueues } from '../../support/stack/test-queues.ts';
import { createStackLog, type StackLog } from '../../support/stack/stack-log.ts';
import { waitFor } from '../../support/stack/wait-for.ts';

export type CallRow = Selectable<Database['calls']>;

/** The service with one provider, in real time and with a separate database. */
export interface ProviderWorld {
  db: Db;
  clock: EngineClock;
  log: StackLog;
  baseUrl: string;
  databaseUrl: string;
  organization: TestOrganization;
  /** Requests a direct call. Returns its id. */
  call(toPhone: string): Promise<string>;
  recording(callId: string, headers?: Record<string, string>): Promise<Response>;
  /** Starts a campaign whose window is always open. Returns its id. */
  campaign(
    numbers: readonly string[],
    config?: Parameters<typeof setCampaignConfig>[1]['body'],
  ): Promise<string>;
  row(callId: string): Promise<CallRow>;
  /** Waits until a call is in this phase. */
  until(callId: string, phase: CallRow['phase']): Promise<CallRow>;
  provider(): Promise<Selectable<Database['providers']>>;
  /** Lets the pause of an open circuit pass. */
  skipPause(): Promise<void>;
  /** Refusals of the gate so far, by reason. */
  gateRefusals: ReadonlyMap<string, number>;
  /** Why a campaign does not dial now. */
  waitingFor(campaignId: string): Promise<string | null>;
  /** Ends the process that dials, and starts another without its state. */
  restartWorker(): Promise<void>;
  close(): Promise<void>;
}

export interface WorldOptions {
  providerName: string;
  build: (baseUrl: string) => TelephonyProvider;
  settings?: Partial<DialingSettings>;
  /** Further fields of the agent's config. */
  agentConfig?: Record<string, unknown>;
  /** The hosts to which the operator lets the agent connect calls. */
  voiceHosts?: string[];
  /** The cap of the provider's row. No cap by default. */
  lines?: number;
}

const apiConfig: ApiConfig = {
  publicUrl: null,
  installationProvider: 'simulator',
  callQueueTimeoutSeconds: 60,
  jsonBodyLimitBytes: 1024 * 1024,
  uploadLimitBytes: 1024 * 1024,
  itemLimits: { itemsPerBase: 100, bytesPerOrganization: 100 * 1024 * 1024 },
  corsOrigins: [],
  jwt: null,
  ops: null,
  knowledgeTokenSecret: null,
};

export async function openProviderWorld(options: WorldOptions): Promise<ProviderWorld> {
  const { providerName } = options;
  const settings: DialingSettings = {
    ringTimeoutSeconds: 30,
    maxCallSeconds: 600,
    callQueueTimeoutSeconds: 60,
    ...options.settings,
  };
  const opened: Array<() => Promise<unknown>> = [];
  const database = await createTestDatabase();
  opened.push(() => database.drop());
  const log = createStackLog();
  const testQueues = await openTestQueues(anyBackend(), {
    databaseUrl: database.databaseUrl,
    log: log.logger,
  });
  const openProcess = (applicationName: string): EndingDeps => {
    const db = connect({
      databaseUrl: database.databaseUrl,
      poolMax: 6,
      applicationName,
      // A machine that stalls for ten seconds is no fault of a test.
      connectTimeoutMs: 60_000,
    });
    opened.push(() => db.destroy());
    const publisher = openPublisher(testQueues.config, { log: log.logger });
    opened.push(() => publisher.close());
    return { db, publisher, log: log.logger, metrics: { callEnded: () => undefined } };
  };
  const control = openProcess('test');
  const { db } = control;
  await ensureProvider(db, { name: providerName, adapter: providerName });
  // Lines are counted only under a cap.
  const changes = { maxLines: options.lines ?? 1_000 };
  await setProvider(db, { name: providerName, changes, now: await engineNow(db) });

  const api = openProcess('api');
  const queues = openQueues(testQueues.config, { log: log.logger });
  opened.push(() => queues.close());
  let baseUrl = '';
  const directory = createProviderDirectory({ db, build: () => options.build(baseUrl) });
  const app = createApp({
    ...api,
    log: log.logger,
    queues,
    files: createPostgresFileStore(api.db),
    clock: systemClock,
    metrics: createMetrics({ service: 'api' }),
    config: { ...apiConfig, installationProvider: providerName, callTimes: settings },
    providers: directory.providers,
  });
  const server = await startServer(app, { port: 0, host: '127.0.0.1' });
  opened.push(() => server.close({ drainMs: 1_000 }));
  baseUrl = `http://127.0.0.1:${server.port}`;
  await directory.refresh();

  const gateRefusals = new Map<string, number>();
  const workerDeps = openProcess('worker');
  const dial = () =>
    startWorker({
      ...workerDeps,
      queue: testQueues.config,
      concurrency: 20,
      providers: directory.providers,
      settings,
      metrics: {
        callPlaced: () => undefined,
        callEnded: () => undefined,
        gateRefused: (reason) => gateRefusals.set(reason, (gateRefusals.get(reason) ?? 0) + 1),
      },
    });
  let worker: RunningWorker = dial();
  opened.push(() => worker.stop({ drainMs: 5_000 }));
  const scheduler = startScheduler({
    ...openProcess('scheduler'),
    files: createPostgresFileStore(control.db),
  });
  opened.push(() => scheduler.stop());

  const clock = createEngineClock(control, { wakes: true });
  const organization = await makeOrganization(db, {
    baseUrl,
    now: await clock.now(),
    change: { voice_hosts: options.voiceHosts ?? ['voice.example.com'] },
    ...(options.agentConfig && { agentConfig: options.agentConfig }),
  });
  const deps = { ...control, installationProvider: providerName, settings };
  const userId = organization.users.admin.id;
  const { key } = await createApiKey(db, {
    organizationId: organization.id,
    userId,
    name: 'k',
    role: 'viewer',
  });
  const row = (callId: string) =>
    db.selectFrom('calls').selectAll().where('id', '=', callId).executeTakeFirstOrThrow();

  const provider = () =>
    db.selectFrom('providers').selectAll().where('name', '=', providerName).executeTakeFirstOrThrow();

  return {
    db,
    clock,
    log,
    baseUrl,
    databaseUrl: database.databaseUrl,
    organization,
    async call(toPhone) {
      const request = { toPhone, promptParams: { name: 'Ada' }, meta: null, createdBy: userId };
      const ofAgent = { organizationId: organization.id, agentId: organization.agentId };
      const { callId } = await inTransaction(db, (tx) => requestCallIn(tx, deps, { ...ofAgent, ...request }));
      await enqueueDirectCalls(deps, [callId]);
      return callId;
    },
    recording: (callId, headers) =>
      fetch(`${baseUrl}/api/v1/calls/${callId}/recording`, { headers: { 'x-api-key': key, ...headers } }),
    async campaign(numbers, config = {}) {
      const { campaignId } = await createCampaign(deps, {
        organizationId: organization.id,
        userId,
        fields: { name: 'c', agent_id: organization.agentId, phone_numbers: [...numbers], status: 'paused' },
      });
      const campaign = { organizationId: organization.id, campaignId };
      await setCampaignConfig(control, { ...campaign, body: { call_on_weekend: true, ...config } });
      await setCampaignStatus(deps, { ...campaign, status: 'running', userId });
      return campaignId;
    },
    row,
    until: (callId, phase) =>
      waitFor(`call ${phase}`, async () => {
        const call = await row(callId);
        return call.phase === phase ? call : null;
      }),
    provider,
    async skipPause() {
      const { closed_until: until } = await provider();
      if (until !== null && until > (await clock.now())) await clock.set(until);
    },
    gateRefusals,
    async waitingFor(campaignId) {
      const runtime = await db
        .selectFrom('campaign_runtime')
        .select('waiting_for')
        .where('campaign_id', '=', campaignId)
        .executeTakeFirstOrThrow();
      return runtime.waiting_for;
    },
    async restartWorker() {
      await worker.stop({ drainMs: 5_000 });
      worker = dial();
    },
    async close() {
      for (const close of opened.splice(0).toReversed()) await close();
      const errors = log.unexpectedErrors();
      if (errors.length > 0) throw new Error(`errors were logged:\n  ${errors.join('\n  ')}`);
    },
  };
}
