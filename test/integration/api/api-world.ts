import { randomUUID } from 'node:crypto';
import {
  type ApiConfig,
  createApp,
  memoryCounter,
  rateLimits as limitRates,
  type RateLimitSettings,
  startServer,
} from '@outdial/api';
import type { FileStore, TelephonyProvider } from '@outdial/core';
import type { EndingDeps } from '@outdial/engine';
import {
  addPrompt,
  connect,
  createAgent,
  createApiKey,
  createOrganization,
  createPostgresFileStore,
  createUser,
  type Db,
  type Role,
} from '@outdial/db';
import { openPublisher, openQueues, prepareQueueBackend } from '@outdial/queues';
import { createLogger, createMetrics, systemClock } from '@outdial/runtime';
import type { Insertable, Kysely } from 'kysely';
import { afterAll } from 'vitest';
import { createTestDatabase } from '../../support/database.ts';
import { ContractClient } from './contract-client.ts';

export const jwtConfig = {
  secret: 'a-secret-for-tests-of-32-characters',
  issuer: 'tests',
  audience: 'outdial',
};
export const opsCredential = { user: 'ops', password: 'ops-password' };
export const basic = (user: string, password: string) => ({
  Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});
export const asOperator = basic(opsCredential.user, opsCredential.password);

export const testConfig: ApiConfig = {
  publicUrl: null,
  installationProvider: 'simulator',
  callQueueTimeoutSeconds: 60,
  jsonBodyLimitBytes: 1024 * 1024,
  uploadLimitBytes: 1024 * 1024,
  itemLimits: { itemsPerBase: 100, bytesPerOrganization: 100 * 1024 * 1024 },
  corsOrigins: ['https://app.example.com'],
  jwt: {
    keys: { kind: 'secret', secret: jwtConfig.secret },
    issuer: jwtConfig.issuer,
    audience: jwtConfig.audience,
  },
  ops: opsCredential,
};

export interface ApiWorld {
  baseUrl: string;
  databaseUrl: string;
  db: Db;
  files: FileStore;
  /** For operations of the engine outside the api. */
  control: EndingDeps;
  /** The log, one JSON line each. */
  logLines: string[];
  client: ContractClient;
  organization: () => Promise<TestOrganization>;
  /** Moves the clock of the api's credential cache by a second. */
  aSecondLater: () => void;
}

export interface TestOrganization {
  id: string;
  userId: string;
  keys: Record<Role, string>;
  /** Creates an agent, with a prompt unless `prompt` is null. */
  agent(options?: { prompt?: string | null; config?: Record<string, unknown> }): Promise<string>;
  /** Writes a call of a new agent that was completed, with the exceptions of `columns`. */
  call(columns?: Partial<CallRow>): Promise<string>;
}

type CallRow = Insertable<
  Db extends Kysely<infer Schema extends { calls: unknown }> ? Schema['calls'] : never
>;

/**
 * Starts the api on a free port, with a separate database and queues on Postgres. Call it at the top of a test file; everything ends after the last
 * test.
 */
export async function apiWorld(
  options: {
    providers?: ReadonlyMap<string, TelephonyProvider>;
    config?: Partial<ApiConfig>;
    /** Postgres by default. */
    files?: FileStore;
    /** Rate limits. None by default. */
    limits?: RateLimitSettings;
  } = {},
): Promise<ApiWorld> {
  const database = await createTestDatabase();
  const { databaseUrl } = database;
  const queueConfig = { kind: 'postgres', url: databaseUrl } as const;
  await prepareQueueBackend(queueConfig);
  const logLines: string[] = [];
  const log = createLogger({
    service: 'api',
    level: 'debug',
    destination: { write: (line) => logLines.push(line) },
  });
  let aheadMs = 0;
  // A machine that stalls for ten seconds is no fault of a test.
  const db = connect({ databaseUrl, applicationName: 'api-test', connectTimeoutMs: 60_000 });
  const files = options.files ?? createPostgresFileStore(db);
  const publisher = openPublisher(queueConfig, { log });
  const queues = openQueues(queueConfig, { log });
  const app = createApp({
    db,
    publisher,
    queues,
    files,
    clock: { now: () => systemClock.now(), monotonicMs: () => systemClock.monotonicMs() + aheadMs },
    log,
    metrics: createMetrics({ service: 'api' }),
    config: { ...testConfig, ...options.config },
    providers: options.providers ?? new Map(),
    rateLimits:
      options.limits === undefined
        ? null
        : limitRates({ db, counter: memoryCounter(), onFailure }, options.limits),
  });
  const server = await startServer(app, { port: 0, host: '127.0.0.1' });
  afterAll(async () => {
    await server.close({ drainMs: 1_000 });
    await publisher.close();
    await queues.close();
    await db.destroy();
    await database.drop();
  });
  await db
    .insertInto('providers')
    .values({ name: 'simulator', adapter: 'simulator' })
    .onConflict((c) => c.doNothing())
    .execute();
  const baseUrl = `http://127.0.0.1:${server.port}`;
  return {
    baseUrl,
    databaseUrl,
    db,
    files,
    control: { db, publisher, log, metrics: { callEnded: () => undefined } },
    logLines,
    client: await ContractClient.open(baseUrl),
    organization: () => makeOrganization(db),
    aSecondLater: () => {
      aheadMs += 1_000;
    },
  };
}

function onFailure(error: unknown): never {
  throw new Error('the rates could not be counted', { cause: error });
}

async function makeOrganization(db: Db): Promise<TestOrganization> {
  const organizationId = await createOrganization(db, { name: 'Acme' });
  const userId = await createUser(db, {
    organizationId,
    email: 'ada@example.com',
    firstName: 'Ada',
    lastName: 'Lovelace',
    role: 'admin',
  });
  const keyFor = async (role: Role) =>
    (await createApiKey(db, { organizationId, userId, name: role, role })).key;
  const agent: TestOrganization['agent'] = async ({
    prompt = 'Call {{name}}.',
    config = { voice: 'calm' },
  } = {}) => {
    const agentId = await createAgent(db, { organizationId, name: 'Caller', config });
    if (prompt !== null) await addPrompt(db, { organizationId, agentId, level: 1, prompt });
    return agentId;
  };
  return {
    id: organizationId,
    userId,
    keys: {
      admin: await keyFor('admin'),
      manager: await keyFor('manager'),
      member: await keyFor('member'),
      viewer: await keyFor('viewer'),
    },
    agent,
    async call(columns = {}) {
      const id = randomUUID();
      const agentId = columns.agent_id ?? (await agent());
      const prompt = await db
        .selectFrom('agent_prompts')
        .select('id')
        .where('agent_id', '=', agentId)
        .executeTakeFirstOrThrow();
      const at = columns.created_at ?? new Date();
      await db
        .insertInto('calls')
        .values({
          id,
          organization_id: organizationId,
          agent_id: agentId,
          provider: 'simulator',
          phase: 'ended',
          outcome: 'completed',
          phone_number: '+15551230000',
          prompt_id: prompt.id,
          created_by: userId,
          created_at: at,
          gated_at: at,
          ended_at: at,
          events: '[]',
          ...columns,
        })
        .execute();
      return id;
    },
  };
}
