import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  connect,
  createWebhookEndpoint,
  engineNow,
  inTransaction,
  migrateToLatest,
  setProvider,
  type Db,
} from '@outdial/db';
import { advanceCampaignJob, type JobInput } from '@outdial/contracts';
import { freePort } from '@outdial/local';
import { openPublisher } from '@outdial/queues';
import { createLogger } from '@outdial/runtime';
import { newSigningSecret } from '@outdial/webhooks';
import { makeOrganization, type TestOrganization } from '../../support/stack/organization.ts';
import type { Behaviour } from '../gateway/behaviour.ts';
import { startRecordingGateway, type RecordingGateway } from '../gateway/recording-gateway.ts';
import { startMoodyReceiver, type MoodyReceiver } from '../webhooks/moody-receiver.ts';
import { again } from './again.ts';
import { createFleet, type Fleet, type Member } from './fleet.ts';
import { installGateObserver } from './gate-observer.ts';
import { startPostgresServer, type PostgresServer } from './postgres-server.ts';
import { startRedisServer, type RedisServer } from './redis-server.ts';

/** The stack of one run: real servers, real processes, and the recording gateway. */
export interface ChaosStack {
  db: Db;
  postgres: PostgresServer;
  redis: RedisServer;
  gateway: RecordingGateway;
  /** A receiver of all events of the organization, which sometimes fails. */
  receiver: MoodyReceiver;
  fleet: Fleet;
  organization: TestOrganization;
  publicUrl: string;
  /** Publishes additional placement jobs; false if the queue is down. */
  publishAdvances: (jobs: ReadonlyArray<JobInput<typeof advanceCampaignJob>>) => Promise<boolean>;
  /** The URLs of `/metrics` of the scheduler and the workers. */
  metricsUrls: ReadonlyMap<string, string>;
  ops: { user: string; password: string };
  close(): Promise<void>;
}

export interface StackLimits {
  providerLines: number;
  organizationLines: number;
  providerCallsPerSecond: number;
}

const ops = { user: 'chaos', password: 'chaos-observer' };

export async function startChaosStack(args: {
  workers: number;
  seed: number;
  behaviour: Behaviour;
  limits: StackLimits;
  /** Other servers than a single Postgres and a single Redis. */
  servers?: { postgres(): Promise<PostgresServer>; redis(): Promise<RedisServer> };
}): Promise<ChaosStack> {
  const folder = mkdtempSync(join(tmpdir(), 'outdial-chaos-'));
  const closes: Array<() => Promise<unknown> | void> = [];
  const close = async () => {
    for (const one of closes.splice(0).toReversed()) await one();
  };
  try {
    return await open(args, folder, closes, close);
  } catch (error) {
    await close();
    throw error;
  }
}

async function open(
  args: Parameters<typeof startChaosStack>[0],
  folder: string,
  closes: Array<() => Promise<unknown> | void>,
  close: () => Promise<void>,
): Promise<ChaosStack> {
  if (process.env['CHAOS_KEEP'] !== '1') closes.push(() => rmSync(folder, { recursive: true, force: true }));
  const postgres = await (args.servers?.postgres() ?? startPostgresServer(folder));
  closes.push(() => postgres.stop());
  const redis = await (args.servers?.redis() ?? startRedisServer(folder));
  closes.push(() => redis.stop());
  const gateway = await startRecordingGateway(args.behaviour);
  closes.push(() => gateway.close());
  const secret = newSigningSecret();
  const receiver = await startMoodyReceiver({ seed: args.seed, secret });
  closes.push(() => receiver.close());
  await migrateToLatest({ databaseUrl: postgres.databaseUrl });
  const db = connect({
    databaseUrl: postgres.databaseUrl,
    poolMax: 4,
    applicationName: 'chaos-observer',
    onIdleError: () => undefined,
  });
  closes.push(() => db.destroy());
  await installGateObserver(db);
  const now = await engineNow(db);
  await setProvider(db, {
    name: 'gateway',
    changes: {
      adapter: 'gateway',
      maxLines: args.limits.providerLines,
      callsPerSecond: args.limits.providerCallsPerSecond,
    },
    now,
  });
  const apiPort = await freePort();
  const publicUrl = `http://127.0.0.1:${apiPort}`;
  const metricsUrls = new Map<string, string>();
  const secretFile = (name: string, text: string) => {
    const file = join(folder, name);
    writeFileSync(file, `${text}\n`, { mode: 0o600 });
    return file;
  };
  const common = {
    DATABASE_URL_FILE: secretFile('database-url', postgres.databaseUrl),
    REDIS_URL_FILE: secretFile('redis-url', redis.url),
    ...(redis.sentinel && { REDIS_SENTINEL: redis.sentinel.name }),
    TELEPHONY_PROVIDER: 'gateway',
    GATEWAY_URL: gateway.url,
    GATEWAY_SECRET: gateway.secret,
    PUBLIC_URL: publicUrl,
    RING_TIMEOUT_SECONDS: '3',
    MAX_CALL_SECONDS: '8',
    OPS_USER: ops.user,
    OPS_PASSWORD: ops.password,
    WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
    LOG_LEVEL: process.env['CHAOS_LOG_LEVEL'] ?? 'info',
  };
  const members: Member[] = [
    { name: 'api', program: 'api/src/main.ts', env: { ...common, PORT: String(apiPort) } },
  ];
  const others = ['scheduler', ...Array.from({ length: args.workers }, (_, n) => `worker-${n + 1}`)];
  for (const name of others) {
    const port = await freePort();
    metricsUrls.set(name, `http://127.0.0.1:${port}/metrics`);
    const program = name === 'scheduler' ? 'scheduler/src/main.ts' : 'worker/src/main.ts';
    members.push({ name, program, env: { ...common, HEALTH_PORT: String(port) } });
  }
  const root = fileURLToPath(new URL('../../../', import.meta.url));
  const fleet = createFleet({ root, folder, members });
  closes.push(() => fleet.stopAll());
  for (const { name } of members) fleet.start(name);
  const organization = await makeOrganization(db, {
    baseUrl: publicUrl,
    now,
    change: { timezone: 'UTC', max_lines: args.limits.organizationLines },
  });
  const { id: organizationId } = organization;
  const endpoint = { url: receiver.url, events: ['*'], description: '', enabled: true, secret, atMost: 1 };
  await inTransaction(db, (tx) => createWebhookEndpoint(tx, { organizationId, ...endpoint }));
  await again('the api answers', async () => {
    const response = await fetch(`${publicUrl}/readyz`);
    if (!response.ok) throw new Error(`readyz: ${response.status}`);
  });
  const log = createLogger({ service: 'chaos', level: 'silent' });
  const publisher = openPublisher(
    {
      kind: 'redis',
      url: redis.url.replace(/,.*$/, ''),
      ...(redis.sentinel && { sentinel: redis.sentinel }),
    },
    { log },
  );
  closes.push(() => publisher.close());
  const publishAdvances: ChaosStack['publishAdvances'] = async (jobs) => {
    try {
      if (jobs.length > 0) await publisher.publishMany(advanceCampaignJob, jobs);
      return jobs.length > 0;
    } catch {
      return false;
    }
  };
  return {
    db,
    postgres,
    redis,
    gateway,
    receiver,
    fleet,
    organization,
    publicUrl,
    publishAdvances,
    metricsUrls,
    ops,
    close,
  };
}
