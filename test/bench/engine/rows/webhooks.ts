import { setTimeout as sleep } from 'node:timers/promises';
import { createWebhookEndpoint, inTransaction } from '@outdial/db';
import { freePort } from '@outdial/local';
import { newSigningSecret } from '@outdial/webhooks';
import { sql } from 'kysely';
import type { Bed } from '../bed.ts';
import { makeCampaign, runCampaign, secondsToFinish } from '../campaign.ts';
import { cpuSeconds } from '../process-cost.ts';
import { metIf, type Program } from '../program.ts';
import { median, spread } from '../statistics.ts';
import type { Started, World } from '../world.ts';

const lines = 1_000;
const limitSeconds = 600;
const mostSlower = 0.1;

/** Measures the rate of webhooks to a receiver that answers in 5 ms, and their cost to the engine. */
export const webhooks: Program = {
  name: 'webhooks',
  title: 'Webhooks',
  async run(bed, { quick, rounds }) {
    const count = quick ? 2_000 : 30_000;
    const without: Cost[] = [];
    const engine: Cost[] = [];
    const sent: Cost[] = [];
    for (let round = 0; round < rounds; round++) {
      without.push(await costOfCalls(bed, count, null));
      engine.push(await costOfCalls(bed, count, ['*']));
      sent.push(await costOfDeliveries(bed, count));
    }
    const ratios = (costs: readonly Cost[], of: (cost: Cost) => number) =>
      costs.map((cost, at) => of(cost) / of(without[at] ?? cost));
    const perSecond = (costs: readonly Cost[]) => costs.map((cost) => cost.perSecond);
    const cpuMs = (costs: readonly Cost[]) => costs.map((cost) => cost.cpuMs);
    const slower = ratios(engine, (cost) => cost.perSecond).map((ratio) => 1 - ratio);
    const ratio = ratios(sent, (cost) => cost.perSecond);
    const dearer = ratios(engine, (cost) => cost.cpuMs);
    const delivery = ratios(sent, (cost) => cost.cpuMs);
    return {
      findings: [
        {
          what: 'webhooks delivered per second to one endpoint that answers in 5 ms',
          baseline: `the engine's calls per second: ${median(perSecond(without)).toFixed(0)}`,
          goal: 'at least as many',
          measured: `${median(perSecond(sent)).toFixed(0)}, ${median(ratio).toFixed(2)} of it`,
          spread: `${spread(perSecond(sent), 0)}, ${spread(ratio, 2)}`,
          verdict: metIf(median(ratio) >= 1),
        },
        {
          what: 'calls completed per second while every event goes to an endpoint',
          baseline: `without an endpoint: ${median(perSecond(without)).toFixed(0)}`,
          goal: `at most ${mostSlower * 100} % fewer`,
          measured: `${median(perSecond(engine)).toFixed(0)}, ${(median(slower) * 100).toFixed(0)} % fewer`,
          spread: spread(perSecond(engine), 0),
          verdict: metIf(median(slower) <= mostSlower),
        },
        {
          what: 'ms of processor for a delivery, all processes but the receiver',
          baseline: `a call without an endpoint: ${median(cpuMs(without)).toFixed(3)}`,
          goal: 'at most as much',
          measured: `${median(cpuMs(sent)).toFixed(3)}, ${median(delivery).toFixed(2)} of it`,
          spread: `${spread(cpuMs(sent), 3)}, ${spread(delivery, 2)}`,
          verdict: metIf(median(delivery) <= 1),
        },
        {
          what: 'ms of processor for a call while every event goes to an endpoint, until the last call has ended',
          baseline: `without an endpoint: ${median(cpuMs(without)).toFixed(3)}`,
          goal: '–',
          measured: `${median(cpuMs(engine)).toFixed(3)}, ${median(dearer).toFixed(2)} of it`,
          spread: `${spread(cpuMs(engine), 3)}, ${spread(dearer, 2)}`,
          verdict: 'told',
        },
      ],
      plots: [],
      notes: [
        `Webhooks: a campaign of ${count.toLocaleString('en')} on Redis with one worker and one scheduler; the receiver is a process of its own on the same two cores. ` +
          'Processor time is of Postgres, Redis, scheduler and worker, read from the kernel: unlike the rates, it says the same on a machine that others use.',
      ],
    };
  },
};

async function receiver(world: World): Promise<string> {
  const port = await freePort();
  world.start('test/bench/engine/processes/webhook-receiver.ts', { PORT: String(port) });
  const url = `http://127.0.0.1:${port}/`;
  for (;;) {
    const answer = await fetch(url).catch(() => null);
    if (answer?.ok) return url;
    await sleep(50);
  }
}

async function endpointAt(world: World, url: string, events: readonly string[]): Promise<void> {
  const { organizationId } = world;
  const settings = { url, events, description: '', enabled: true, secret: newSigningSecret(), atMost: 1 };
  await inTransaction(world.db, (tx) => createWebhookEndpoint(tx, { organizationId, ...settings }));
}

const workerEnv = { WORKER_CONCURRENCY: '200', WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true' };

interface Cost {
  perSecond: number;
  /** CPU time of each. */
  cpuMs: number;
}

/** CPU time of all processes that work on calls and deliveries. */
function meter({ servers }: Bed, processes: readonly Started[]): () => number {
  const pids = [servers.postgres, servers.redis, ...processes.map((one) => one.pid)];
  return () => pids.reduce<number>((total, pid) => total + (pid === null ? 0 : cpuSeconds(pid)), 0);
}

async function costOfCalls(bed: Bed, recipients: number, events: readonly string[] | null): Promise<Cost> {
  const world = await bed.world('redis');
  try {
    const url = await receiver(world);
    if (events !== null) await endpointAt(world, url, events);
    const campaignId = await makeCampaign(world, { recipients, lines });
    const scheduler = await world.startReady('scheduler/src/main.ts');
    const worker = await world.startReady('worker/src/main.ts', workerEnv);
    const cpu = meter(bed, [scheduler, worker]);
    const before = cpu();
    await runCampaign(world, campaignId);
    const seconds = await secondsToFinish(world, campaignId, limitSeconds);
    return { perSecond: recipients / seconds, cpuMs: ((cpu() - before) * 1_000) / recipients };
  } finally {
    await world.close();
  }
}

/** Creates a backlog of events, each of another recipient, which one worker sends. */
async function costOfDeliveries(bed: Bed, count: number): Promise<Cost> {
  const world = await bed.world('redis');
  try {
    const url = await receiver(world);
    await endpointAt(world, url, ['call.ended']);
    const scheduler = await world.startReady('scheduler/src/main.ts');
    const worker = await world.startReady('worker/src/main.ts', workerEnv);
    const cpu = meter(bed, [scheduler, worker]);
    await sql`
      insert into outbox (organization_id, type, campaign_id, recipient_id, call_id, data, created_at)
      select ${world.organizationId}, 'call.ended', gen_random_uuid(), gen_random_uuid(), gen_random_uuid(),
        jsonb_build_object('attempt', 1, 'status', 'finish', 'outcome', 'completed', 'duration', 42), engine_now()
      from generate_series(1, ${count}::int)`.execute(world.db);
    const startedMs = performance.now();
    const before = cpu();
    for (;;) {
      const received = Number(await (await fetch(url)).text());
      if (received >= count) {
        const perSecond = count / ((performance.now() - startedMs) / 1_000);
        return { perSecond, cpuMs: ((cpu() - before) * 1_000) / count };
      }
      await sleep(20);
    }
  } finally {
    await world.close();
  }
}
