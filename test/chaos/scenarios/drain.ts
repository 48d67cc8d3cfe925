import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { advanceCampaignJob } from '@outdial/contracts';
import { startServer } from '@outdial/api';
import { openPublisher } from '@outdial/queues';
import { waitFor } from '../../support/stack/wait-for.ts';
import { passiveBehaviour } from '../gateway/behaviour.ts';
import { createFleet, type Fleet } from '../stack/fleet.ts';
import type { Scenario } from './scenario.ts';
import type { ScenarioWorld } from './world.ts';

/** A real worker process on the scenario's database, with its own queues in Redis. The jobs of the job box are published there. */
async function realWorker(world: ScenarioWorld): Promise<{ fleet: Fleet; deliver: () => Promise<void> }> {
  if (world.redisUrl === null) throw new Error('this scenario needs a Redis');
  const prefix = `scenario-${randomBytes(6).toString('hex')}`;
  const folder = mkdtempSync(join(tmpdir(), 'outdial-scenario-'));
  world.onClose(() => Promise.resolve(rmSync(folder, { recursive: true, force: true })));
  const fleet = createFleet({
    root: fileURLToPath(new URL('../../../', import.meta.url)),
    folder,
    members: [
      {
        name: 'worker',
        program: 'worker/src/main.ts',
        env: {
          DATABASE_URL: world.databaseUrl,
          REDIS_URL: world.redisUrl,
          REDIS_PREFIX: prefix,
          TELEPHONY_PROVIDER: 'gateway',
          GATEWAY_URL: world.gateway.url,
          GATEWAY_SECRET: world.gateway.secret,
          PUBLIC_URL: world.baseUrl,
        },
      },
    ],
  });
  world.onClose(() => fleet.stopAll());
  const publisher = openPublisher({ kind: 'redis', url: world.redisUrl, prefix }, { log: world.control.log });
  world.onClose(() => publisher.close());
  fleet.start('worker');
  return {
    fleet,
    async deliver() {
      for (const { payload } of world.jobs.take(advanceCampaignJob.name)) {
        await publisher.publish(advanceCampaignJob, advanceCampaignJob.payload.parse(payload));
      }
    },
  };
}

export const drainFinishesSends: Scenario = {
  name: "a worker gets SIGTERM while it waits for the gateway's answer",
  promise: 'deploys do no damage',
  async run(world) {
    world.gateway.behaviour = { ...passiveBehaviour, post: () => ({ kind: 'accept', answerAfterMs: 2_500 }) };
    await world.campaign();
    const { fleet, deliver } = await realWorker(world);
    await deliver();
    await waitFor('the gateway has been asked', () => world.gateway.calls.size === 1);
    assert.equal((await fleet.terminate('worker')).code, 0);
    const [call] = await world.calls();
    assert.ok(call?.accepted_at, 'the worker exited before the gateway answered');
    await world.countersAgree();
  },
};

function request(agent: http.Agent, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const asking = http.get({ agent, port, host: '127.0.0.1' }, (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode ?? 0));
    });
    asking.once('error', reject);
  });
}

export const busyCallerIsLetGo: Scenario = {
  name: 'the api gets SIGTERM while a caller sends one request after another over one connection',
  promise: 'deploys do no damage',
  async run() {
    let requests = 0;
    const { promise: fourthRequest, resolve: fourthComes } = Promise.withResolvers<void>();
    const server = await startServer(
      (_request, response) => {
        requests += 1;
        if (requests === 4) fourthComes();
        setTimeout(() => response.end('ok'), 10);
      },
      { port: 0, host: '127.0.0.1' },
    );
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const statuses: number[] = [];
    const caller = (async () => {
      // Until no server accepts connections.
      for (;;) statuses.push(await request(agent, server.port));
    })().catch((error: unknown) => error);
    // Sends SIGTERM during an answer, because the connection would be idle between two answers.
    await fourthRequest;
    const drainMs = 10_000;
    const began = performance.now();
    await server.close({ drainMs });
    const tookMs = performance.now() - began;
    assert.match(String(await caller), /ECONNREFUSED|ECONNRESET|socket hang up/);
    agent.destroy();
    assert.ok(tookMs < drainMs, 'the caller kept its connection until the end of the drain');
    assert.ok(statuses.every((status) => status === 200));
  },
};
