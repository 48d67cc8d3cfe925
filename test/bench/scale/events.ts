import { once } from 'node:events';
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@outdial/local';
import { ensureProvider } from '@outdial/db';
import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import type { ScaleBed } from './bed.ts';
import { cpuMsOf, postgresCpuMs } from './meters.ts';
import { populate } from './populate.ts';
import { seeded } from './random.ts';
import { conversation } from './sizes.ts';

/** The cost of one provider event for the api and Postgres. */
export interface EventUse {
  events: number;
  eventsPerSecond: number;
  apiCpuMs: number;
  postgresCpuMs: number;
  commits: number;
}

const calls = 3_000;
const senders = 48;
const transcriptChars = 2_000;

/** Three signed events a call (ringing, answered, ended with a transcript), as a gateway sends them. */
export async function measureEvents(bed: ScaleBed): Promise<EventUse> {
  const world = await bed.world(20);
  try {
    await ensureProvider(world.db, { name: 'gateway', adapter: 'gateway' });
    await populate(world.db, { campaigns: 100, endedCampaigns: 0, liveCalls: calls, provider: 'gateway' });
    const secret = `whsec_${randomBytes(24).toString('base64')}`;
    const port = await freePort();
    const api = world.start('api/src/main.ts', {
      PORT: String(port),
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      JWT_SECRET: randomBytes(32).toString('hex'),
      TELEPHONY_PROVIDER: 'gateway',
      GATEWAY_URL: 'http://127.0.0.1:9',
      GATEWAY_SECRET: secret,
    });
    const events = `http://127.0.0.1:${port}/provider-events/gateway`;
    await answers(`http://127.0.0.1:${port}/healthz`);
    const { rows } = await sql<{ id: string }>`select id from calls`.execute(world.db);
    const random = seeded(11);
    const webhook = new Webhook(secret);
    const pid = api.pid ?? 0;
    const commits = await commitsOf(world.db);
    const before = [cpuMsOf(pid), postgresCpuMs(bed.postgresPid), performance.now()] as const;
    for (const type of ['call.ringing', 'call.answered', 'call.ended']) {
      const waiting = rows.map((row) => row.id);
      const send = async () => {
        for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
          await post(events, webhook, eventOf(type, id, random));
        }
      };
      await Promise.all(Array.from({ length: senders }, send));
    }
    const after = [cpuMsOf(pid), postgresCpuMs(bed.postgresPid), performance.now()] as const;
    const many = rows.length * 3;
    api.kill('SIGTERM');
    await once(api, 'exit');
    return {
      events: many,
      eventsPerSecond: many / ((after[2] - before[2]) / 1000),
      apiCpuMs: (after[0] - before[0]) / many,
      postgresCpuMs: (after[1] - before[1]) / many,
      commits: ((await commitsOf(world.db)) - commits) / many,
    };
  } finally {
    await world.close();
  }
}

function eventOf(type: string, callId: string, random: () => number): object {
  const data =
    type === 'call.ended'
      ? { outcome: 'completed', duration: 60, cost: 0.01, transcript: conversation(transcriptChars, random) }
      : {};
  return { event_id: randomUUID(), type, call_id: callId, occurred_at: new Date().toISOString(), data };
}

async function post(url: string, webhook: Webhook, event: object): Promise<void> {
  const body = JSON.stringify(event);
  const id = `msg_${randomUUID()}`;
  const at = new Date();
  const response = await fetch(url, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': webhook.sign(id, at, body),
    },
  });
  if (!response.ok) throw new Error(`an event was answered ${response.status}: ${await response.text()}`);
  await response.arrayBuffer();
}

async function commitsOf(db: Parameters<typeof populate>[0]): Promise<number> {
  await sleep(1_100);
  const { rows } = await sql<{ commits: string }>`
    select xact_commit as commits from pg_stat_database where datname = current_database()`.execute(db);
  return Number(rows[0]?.commits);
}

async function answers(url: string): Promise<void> {
  for (let tried = 0; tried < 200; tried++) {
    const isUp = await fetch(url).then(
      (response) => response.ok,
      () => false,
    );
    if (isUp) return;
    await sleep(50);
  }
  throw new Error('the api did not start');
}
