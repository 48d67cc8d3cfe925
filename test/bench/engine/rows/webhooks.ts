import { setTimeout as sleep } from 'node:timers/promises';
import { createWebhookEndpoint, inTransaction } from '@outdial/db';
import { freePort } from '@outdial/local';
import { newSigningSecret } from '@outdial/webhooks';
import { sql } from 'kysely';
import type { Bed } from '../bed.ts';
import { makeCampaign, runCampaign, secondsToFinish } from '../campaign.ts';
import { metIf, type Program } from '../program.ts';
import { median, spread } from '../statistics.ts';
import type { World } from '../world.ts';

const lines = 1_000;
const limitSeconds = 600;
const mostSlower = 0.1;

/** How fast webhooks go out to a receiver that answers in 5 ms, and what they cost the engine. */
export const webhooks: Program = {
  name: 'webhooks',
  title: 'Webhooks',
  async run(bed, { quick, rounds }) {
    const count = quick ? 2_000 : 30_000;
    const without: number[] = [];
    const engine: number[] = [];
    const sent: number[] = [];
    for (let round = 0; round < rounds; round++) {
      without.push((await callsPerSecond(bed, count, null)).calls);
      engine.push((await callsPerSecond(bed, count, ['*'])).calls);
      sent.push(await deliveriesPerSecond(bed, count));
    }
    const slower = without.map((value, at) => 1 - (engine[at] ?? 0) / value);
    const ratio = sent.map((value, at) => value / (without[at] ?? Number.NaN));
    return {
      findings: [
        {
          what: 'webhooks delivered per second to one endpoint that answers in 5 ms',
          baseline: `the engine's calls per second: ${median(without).toFixed(0)}`,
          goal: 'at least as many',
          measured: `${median(sent).toFixed(0)}, ${median(ratio).toFixed(2)} of it`,
          spread: `${spread(sent, 0)}, ${spread(ratio, 2)}`,
          verdict: metIf(median(ratio) >= 1),
        },
        {
          what: 'calls completed per second while every event goes to an endpoint',
          baseline: `without an endpoint: ${median(without).toFixed(0)}`,
          goal: `at most ${mostSlower * 100} % fewer`,
          measured: `${median(engine).toFixed(0)}, ${(median(slower) * 100).toFixed(0)} % fewer`,
          spread: spread(engine, 0),
          verdict: metIf(median(slower) <= mostSlower),
        },
      ],
      plots: [],
      notes: [
        `Webhooks: a campaign of ${count.toLocaleString('en')} on Redis with one worker and one scheduler; the receiver is a process of its own on the same two cores.`,
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

async function callsPerSecond(
  bed: Bed,
  recipients: number,
  events: readonly string[] | null,
): Promise<{ calls: number }> {
  const world = await bed.world('redis');
  try {
    const url = await receiver(world);
    if (events !== null) await endpointAt(world, url, events);
    const campaignId = await makeCampaign(world, { recipients, lines });
    await world.startReady('scheduler/src/main.ts');
    await world.startReady('worker/src/main.ts', workerEnv);
    await runCampaign(world, campaignId);
    return { calls: recipients / (await secondsToFinish(world, campaignId, limitSeconds)) };
  } finally {
    await world.close();
  }
}

/** A backlog of events, each of a recipient of its own, sent by one worker. */
async function deliveriesPerSecond(bed: Bed, count: number): Promise<number> {
  const world = await bed.world('redis');
  try {
    const url = await receiver(world);
    await endpointAt(world, url, ['call.ended']);
    await sql`
      insert into outbox (organization_id, type, campaign_id, recipient_id, call_id, data, created_at)
      select ${world.organizationId}, 'call.ended', gen_random_uuid(), gen_random_uuid(), gen_random_uuid(),
        jsonb_build_object('attempt', 1, 'status', 'finish', 'outcome', 'completed', 'duration', 42), engine_now()
      from generate_series(1, ${count}::int)`.execute(world.db);
    await world.startReady('worker/src/main.ts', workerEnv);
    await world.startReady('scheduler/src/main.ts');
    const startedMs = performance.now();
    for (;;) {
      const received = Number(await (await fetch(url)).text());
      if (received >= count) return count / ((performance.now() - startedMs) / 1000);
      await sleep(20);
    }
  } finally {
    await world.close();
  }
}
