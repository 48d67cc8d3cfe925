import assert from 'node:assert/strict';
import {
  claimDeliveries,
  createWebhookEndpoint,
  inTransaction,
  placeEvents,
  readEvents,
  recordAttempts,
} from '@outdial/db';
import { createGiveWay, createWebhookClient, deliverEndpoint, newSigningSecret } from '@outdial/webhooks';
import { sql } from 'kysely';
import { startMoodyReceiver } from '../webhooks/moody-receiver.ts';
import { openTransaction } from './held-by.ts';
import type { Scenario } from './scenario.ts';
import type { ScenarioWorld } from './world.ts';

/** Webhooks, and the order in which events are read. */

const promise = 'every event is delivered';

async function endpointOf(world: ScenarioWorld) {
  const secret = newSigningSecret();
  const receiver = await startMoodyReceiver({ seed: 1, secret });
  receiver.calmDown();
  world.onClose(() => receiver.close());
  const client = createWebhookClient({ allowPrivateTargets: true });
  world.onClose(async () => client.close());
  const organizationId = world.organization.id;
  const settings = { url: receiver.url, events: ['*'], description: '', enabled: true, secret, atMost: 1 };
  const endpoint = await inTransaction(world.db, (tx) =>
    createWebhookEndpoint(tx, { organizationId, ...settings }),
  );
  assert(endpoint);
  const deps = {
    db: world.db,
    client,
    giveWay: createGiveWay(),
    random: () => 0,
    log: { warn: () => undefined },
    onAttempt: () => undefined,
  };
  const endpointId = endpoint.id;
  return {
    endpointId,
    receiver,
    heard: () => [...receiver.heard.values()].map((event) => event.type),
    deliver: () => deliverEndpoint(deps, { endpointId, signal: new AbortController().signal }),
  };
}

/** Events of one recipient, in this order. */
const happened = (world: ScenarioWorld, ...types: string[]) =>
  happenedTo(world, '019a4c1e-0000-7000-8000-000000000003', ...types);

async function happenedTo(world: ScenarioWorld, subject: string, ...types: string[]): Promise<void> {
  for (const type of types) {
    await sql`
      insert into outbox (organization_id, type, recipient_id, created_at)
      values (${world.organization.id}, ${type}, ${subject}, engine_now())`.execute(world.db);
  }
  await placeEvents(world.db, { limit: 100 });
}

export const senderDies: Scenario = {
  name: 'a worker dies with claimed webhooks',
  promise,
  async run(world) {
    const { endpointId, deliver, heard } = await endpointOf(world);
    await happened(world, 'call.started', 'call.ended');
    const taken = await claimDeliveries(world.db, { endpointId, limit: 10, leaseSeconds: 60 });
    assert.equal(taken?.deliveries.length, 2);
    await deliver();
    assert.deepEqual(heard(), []);
    await world.clock.advance(61_000);
    await deliver();
    assert.deepEqual(heard(), ['call.started', 'call.ended']);
  },
};

export const sendersOvertake: Scenario = {
  name: 'a second worker claims later events while the first one is still sending earlier ones',
  promise,
  async run(world) {
    const { endpointId, deliver, heard } = await endpointOf(world);
    await happened(world, 'call.started');
    await claimDeliveries(world.db, { endpointId, limit: 10, leaseSeconds: 60 });
    await happened(world, 'call.ended');
    await deliver();
    assert.deepEqual(heard(), []);
    await world.clock.advance(61_000);
    await deliver();
    assert.deepEqual(heard(), ['call.started', 'call.ended']);
  },
};

export const lateSenderReleases: Scenario = {
  name: 'a suspended worker releases an event after another one has claimed it together with the next event',
  promise,
  async run(world) {
    const { endpointId, deliver, heard } = await endpointOf(world);
    const claim = () => claimDeliveries(world.db, { endpointId, limit: 10, leaseSeconds: 60 });
    await happened(world, 'call.started');
    const suspended = await claim();
    await world.clock.advance(61_000);
    await happened(world, 'call.answered');
    assert.equal((await claim())?.deliveries.length, 2);
    await happened(world, 'call.ended');
    await recordAttempts(world.db, {
      endpointId,
      attempts: [],
      untried: suspended?.deliveries.map((one) => one.delivery_id) ?? [],
      urls: [],
      failingTooLongSince: new Date(0),
      now: await world.clock.now(),
    });
    await deliver();
    assert.deepEqual(heard(), ['call.started']);
    await world.clock.advance(61_000);
    await deliver();
    assert.deepEqual(heard(), ['call.started', 'call.answered', 'call.ended']);
  },
};

export const redeliveredBehindLater: Scenario = {
  name: 'failed events are redelivered, and later events of the same people fill the batch',
  promise,
  async run(world) {
    const { endpointId, heard } = await endpointOf(world);
    const people = ['019a4c1e-0000-7000-8000-000000000001', '019a4c1e-0000-7000-8000-000000000002'];
    for (const type of ['call.started', 'call.ended']) {
      for (const person of people) await happenedTo(world, person, type);
      await world.clock.advance(1_000);
    }
    // As after a redelivery, the first event of each person is due after the second.
    await sql`
      update webhook_deliveries set next_attempt_at = next_attempt_at + interval '2 seconds'
      where endpoint_id = ${endpointId} and event_type = 'call.started'`.execute(world.db);
    await world.clock.advance(5_000);
    const taken = await claimDeliveries(world.db, { endpointId, limit: 2, leaseSeconds: 60 });
    assert.deepEqual(
      taken?.deliveries.map(({ type }) => type),
      ['call.started', 'call.started', 'call.ended', 'call.ended'],
    );
    assert.deepEqual(heard(), []);
  },
};

export const failureIsOvertaken: Scenario = {
  name: 'an event is refused, and the next one of the same person is due at once',
  promise,
  async run(world) {
    const { endpointId, deliver, heard } = await endpointOf(world);
    await happened(world, 'call.started');
    await sql`update webhook_endpoints set url = 'http://127.0.0.1:1/' where id = ${endpointId}`.execute(
      world.db,
    );
    await deliver();
    await happened(world, 'call.ended');
    await deliver();
    const { rows } = await sql<{ attempts: number }>`
      select attempts from webhook_deliveries where endpoint_id = ${endpointId} order by position`.execute(
      world.db,
    );
    assert.deepEqual(
      rows.map((row) => row.attempts),
      [1, 0],
    );
    assert.deepEqual(heard(), []);
  },
};

export const earlierCommitsLater: Scenario = {
  name: 'a transaction that began earlier commits after a reader has continued past it',
  promise,
  async run(world) {
    const organizationId = world.organization.id;
    const write = (type: string) => sql`
      insert into outbox (organization_id, type, created_at) values (${organizationId}, ${type}, engine_now())`;
    const commit = await openTransaction(world, (tx) => write('campaign.started').execute(tx));
    await write('campaign.paused').execute(world.db);
    await placeEvents(world.db, { limit: 100 });
    const read = (after: string | null) =>
      readEvents(world.db, { organizationId, after, types: null, limit: 100 });
    const first = await read(null);
    assert.deepEqual(
      first.map((event) => event.type),
      ['campaign.paused'],
    );
    const { rows } = await sql<{ position: string }>`select max(position) as position from outbox`.execute(
      world.db,
    );
    await commit();
    await placeEvents(world.db, { limit: 100 });
    const rest = await read(rows[0]?.position ?? null);
    assert.deepEqual(
      rest.map((event) => event.type),
      ['campaign.started'],
    );
  },
};
