import { randomBytes } from 'node:crypto';
import { createApp, startServer } from '@outdial/api';
import {
  connect,
  createPostgresFileStore,
  engineNow,
  migrateToLatest,
  setProvider,
  type Db,
} from '@outdial/db';
import { createProviderDirectory, type EndingDeps } from '@outdial/engine';
import { buildProvider } from '@outdial/providers';
import { createLogger, createMetrics, systemClock } from '@outdial/runtime';
import { sweeps } from '@outdial/scheduler/sweeps';
import { sql } from 'kysely';
import pg from 'pg';
import { createEngineClock, type EngineClock } from '../../support/stack/engine-clock.ts';
import { makeOrganization, type TestOrganization } from '../../support/stack/organization.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import {
  accountSid,
  authToken,
  startTwilioStandIn,
  type TwilioStandIn,
} from '../../support/twilio/stand-in.ts';
import { readRows, type CallRow, type RecipientRow } from '../checks/evidence.ts';
import { passiveBehaviour } from '../gateway/behaviour.ts';
import { startRecordingGateway, type RecordingGateway } from '../gateway/recording-gateway.ts';
import type { SeenCall } from '../gateway/dial-log.ts';
import { installGateObserver } from '../stack/gate-observer.ts';
import { createScenarioEngine, scenarioSettings, type ScenarioEngine } from './engine.ts';
import { createJobBox, type JobBox } from './job-box.ts';
import type { ScenarioServers } from './servers.ts';

export interface WorldOptions {
  /** The initial time of the engine's clock. Default: a Monday noon. */
  startAt?: string;
  providerLines?: number;
  organizationLines?: number;
  /** The provider of the calls. Default: the gateway. Twilio queues calls until the scenario sets its pace, and its callbacks are lost. */
  carrier?: 'gateway' | 'twilio';
}

/** The engine on its own database, with an api, a gateway, and a clock that the scenario controls. */
export interface ScenarioWorld {
  databaseUrl: string;
  redisUrl: string | null;
  baseUrl: string;
  db: Db;
  control: EndingDeps;
  clock: EngineClock;
  jobs: JobBox;
  gateway: RecordingGateway;
  twilio: TwilioStandIn;
  engine: ScenarioEngine;
  organization: TestOrganization;
  /** A second worker, optionally with a proxy between it and its database. */
  openEngine(name: string, databaseUrl?: string): ScenarioEngine;
  /** A running campaign, with its first advance in the job box. */
  campaign(options?: { numbers?: string[]; config?: Record<string, unknown> }): Promise<string>;
  /** Runs one round of each sweep of the scheduler. */
  sweep(): Promise<void>;
  /** Sends a signed event through the api; returns the status. */
  event(callId: string, type: string, data?: object, eventId?: string): Promise<number>;
  calls(): Promise<CallRow[]>;
  recipients(): Promise<RecipientRow[]>;
  /** The calls that the gateway accepted. */
  accepted(): SeenCall[];
  /** Throws if line counters and rows disagree. */
  countersAgree(): Promise<void>;
  /** Resolves when all calls are written down as accepted: until then the worker takes locks, and the sweep leaves them alone. */
  untilAccepted(): Promise<void>;
  /** Resolves when a statement of that worker waits for a lock, with its kind: `advisory`, or `transactionid` for a row. */
  untilBlocked(applicationName: string): Promise<string>;
  onClose(close: () => Promise<unknown>): void;
}

const mondayNoon = '2027-03-01T12:00:00Z';
const twilioVoice = { connect: 'stream', url: 'wss://voice.example.com/media' };

/** Numbers that belong to no subscriber, because 555 is not an area code. */
export const numbersOf = (count: number): string[] =>
  Array.from({ length: count }, (_, n) => `+1555100${String(n).padStart(4, '0')}`);
export const firstNumber = '+15551000000';

export async function withWorld(
  servers: ScenarioServers,
  options: WorldOptions,
  run: (world: ScenarioWorld) => Promise<void>,
): Promise<void> {
  const closes: Array<() => Promise<unknown>> = [];
  try {
    await run(await openWorld(servers, options, closes));
  } finally {
    for (const close of closes.toReversed()) await close();
  }
}

async function openWorld(
  servers: ScenarioServers,
  options: WorldOptions,
  closes: Array<() => Promise<unknown>>,
): Promise<ScenarioWorld> {
  const onClose = (close: () => Promise<unknown>) => void closes.push(close);
  const databaseUrl = await makeDatabase(servers, onClose);
  const db = connect({ databaseUrl, poolMax: 4, applicationName: 'scenario', onIdleError: () => undefined });
  onClose(() => db.destroy());
  await installGateObserver(db);
  const gateway = await startRecordingGateway(passiveBehaviour);
  onClose(() => gateway.close());
  const twilio = await startTwilioStandIn({ callsPerSecond: 0, callbacks: 'lost' });
  onClose(() => twilio.close());
  const carrier = options.carrier ?? 'gateway';
  const log = createLogger({ service: 'scenario', level: process.env['SCENARIO_LOG'] ?? 'silent' });
  const jobs = createJobBox();
  const files = createPostgresFileStore(db);
  const control: EndingDeps = { db, publisher: jobs, log, metrics: { callEnded: () => undefined } };
  const clock = createEngineClock(control, { wakes: false });
  await clock.set(options.startAt ?? mondayNoon);
  const changes = { adapter: carrier, maxLines: options.providerLines ?? null, callsPerSecond: null };
  await setProvider(db, { name: carrier, changes, now: await engineNow(db) });

  const directory = createProviderDirectory({
    db,
    build: (row) =>
      buildProvider(row, {
        simulator: { ringMs: 0, talkMs: 0 },
        gateway: { url: gateway.url, secret: gateway.secret },
        twilio: { accountSid, authToken, from: '+15550009999', apiUrl: twilio.url },
        publicUrl: 'http://127.0.0.1:1',
      }),
  });
  await directory.refresh();
  const app = createApp({
    db,
    publisher: jobs,
    files,
    clock: systemClock,
    log,
    metrics: createMetrics({ service: 'api' }),
    config: {
      publicUrl: null,
      installationProvider: carrier,
      callQueueTimeoutSeconds: scenarioSettings.callQueueTimeoutSeconds,
      callTimes: scenarioSettings,
      jsonBodyLimitBytes: 1024 * 1024,
      uploadLimitBytes: 1024 * 1024,
      itemLimits: { itemsPerBase: 100, bytesPerOrganization: 1024 * 1024 },
      corsOrigins: [],
      jwt: null,
      ops: null,
    },
    providers: directory.providers,
    queues: null,
  });
  const server = await startServer(app, { port: 0, host: '127.0.0.1' });
  onClose(() => server.close({ drainMs: 500 }));
  const baseUrl = `http://127.0.0.1:${server.port}`;
  const organization = await makeOrganization(db, {
    baseUrl,
    now: await engineNow(db),
    change: {
      timezone: 'UTC',
      max_lines: options.organizationLines ?? null,
      voice_hosts: ['voice.example.com'],
    },
    ...(carrier === 'twilio' && { agentConfig: { telephony: { voice: twilioVoice } } }),
  });

  function openEngine(name: string, url = databaseUrl): ScenarioEngine {
    const engine = createScenarioEngine({
      databaseUrl: url,
      name,
      jobs,
      providers: directory.providers,
      log,
    });
    onClose(() => engine.db.destroy());
    return engine;
  }

  return {
    databaseUrl,
    redisUrl: servers.redisUrl,
    baseUrl,
    db,
    control,
    clock,
    jobs,
    gateway,
    twilio,
    engine: openEngine('worker'),
    organization,
    openEngine,
    onClose,
    async campaign({ numbers = [firstNumber], config = {} } = {}) {
      const { admin } = organization.clients;
      const { id } = await admin.createCampaign({
        name: 'scenario',
        agent_id: organization.agentId,
        phone_numbers: numbers,
        start_date: '2027-01-01T00:00:00Z',
      });
      await admin.setConfig(id, { call_on_weekend: true, retry_delay_seconds: 1, ...config });
      await admin.setStatus(id, 'running');
      return id;
    },
    async sweep() {
      for (const one of sweeps) await one.run({ ...control, files });
    },
    async event(callId, type, data, eventId = `event-${randomBytes(8).toString('hex')}`) {
      const occurredAt = (await engineNow(db)).toISOString();
      return gateway.events.sendOnce(`${baseUrl}/provider-events/gateway`, {
        event_id: eventId,
        type,
        call_id: callId,
        occurred_at: occurredAt,
        ...(data && { data }),
      });
    },
    calls: async () => (await readRows(db)).calls.toSorted((one, other) => one.attempt - other.attempt),
    recipients: async () => [...(await readRows(db)).recipients],
    accepted: () => [...gateway.calls.values()].filter((call) => call.acceptedAtMs !== null),
    async countersAgree() {
      const { counters } = await readRows(db);
      for (const { level, key, inUse, held } of counters) {
        if (inUse !== held) {
          throw new Error(`${level} ${key}: the counter has ${inUse} lines, the rows ${held}`);
        }
      }
    },
    async untilAccepted() {
      await waitFor('the calls to be written down as accepted', async () =>
        (await readRows(db)).calls.every((call) => call.accepted_at !== null),
      );
    },
    untilBlocked: (applicationName) =>
      waitFor(
        `${applicationName} waits for a lock`,
        async () => {
          const { rows } = await sql<{ kind: string }>`
            select wait_event as kind from pg_stat_activity
            where application_name = ${applicationName} and wait_event_type = 'Lock'
              and datname = current_database()`.execute(db);
          return rows[0]?.kind;
        },
        { withinMs: 8_000 },
      ),
  };
}

async function makeDatabase(
  { adminUrl, template }: ScenarioServers,
  onClose: (close: () => Promise<unknown>) => void,
): Promise<string> {
  const name = `scenario_${randomBytes(6).toString('hex')}`;
  const copy = template === null ? '' : ` template ${template} strategy file_copy`;
  await asAdmin(adminUrl, `create database ${name}${copy}`);
  onClose(() => asAdmin(adminUrl, `drop database if exists ${name} with (force)`));
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  if (template === null) await migrateToLatest({ databaseUrl: url.href });
  return url.href;
}

async function asAdmin(adminUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
