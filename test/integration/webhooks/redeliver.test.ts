import { randomUUID } from 'node:crypto';
import { engineNow, inTransaction, redeliver, redeliverSince, updateWebhookEndpoint } from '@outdial/db';
import { expect, test } from 'vitest';
import { webhookWorld } from './world.ts';

const world = await webhookWorld();

async function endpointWithEvents() {
  const endpoint = await world.endpoint();
  const { organizationId, endpointId, receiver } = endpoint;
  const subjectId = randomUUID();
  return {
    ...endpoint,
    happened: (type: string) => endpoint.happened({ type, subjectId }),
    received: () => receiver.events.map((event) => event.type),
    redeliver: async (type: string) => {
      const { id: deliveryId } = await world.db
        .selectFrom('webhook_deliveries')
        .select('id')
        .where('endpoint_id', '=', endpointId)
        .where('event_type', '=', type)
        .orderBy('id')
        .executeTakeFirstOrThrow();
      await inTransaction(world.db, (tx) => redeliver(tx, { organizationId, deliveryId }));
    },
  };
}

test('an event that waits for its retry is sent at once, after those in front of it, and once', async () => {
  const { happened, deliver, deliveries, receiver, received, redeliver: again } = await endpointWithEvents();
  receiver.behaviours = [500];
  await happened('call.started');
  await deliver();
  await happened('call.ended');
  await again('call.ended');
  await deliver();
  expect(received()).toEqual(['call.started', 'call.started', 'call.ended']);
  expect(await deliveries()).toMatchObject([
    { status: 'delivered', attempts: 2 },
    { status: 'delivered', attempts: 1 },
  ]);
});

test('a delivered event is sent again at once, even if one in front of it waits', async () => {
  const { happened, deliver, receiver, received, redeliver: again } = await endpointWithEvents();
  await happened('call.started');
  await happened('call.ended');
  receiver.behaviours = [200, 200, 500];
  await deliver();
  await again('call.started');
  await deliver();
  await again('call.ended');
  await deliver();
  expect(received().slice(3)).toEqual(['call.started', 'call.ended']);
});

test('everything since an instant includes what waits for a retry', async () => {
  const { happened, deliver, receiver, received, organizationId, endpointId } = await endpointWithEvents();
  const address = { organizationId, endpointId };
  const since = await engineNow(world.db);
  const enable = (enabled: boolean) =>
    inTransaction(world.db, (tx) => updateWebhookEndpoint(tx, address, { enabled }));
  const sendAll = (limit: number) =>
    inTransaction(world.db, (tx) => redeliverSince(tx, { ...address, since, limit }));
  receiver.behaviours = [500];
  await happened('call.started');
  await deliver();
  await enable(false);
  await world.advance(1);
  await happened('call.ended');
  await enable(true);
  expect(await sendAll(1)).toBe(1);
  expect(await sendAll(1)).toBe(1);
  expect(await sendAll(1)).toBe(0);
  await deliver();
  expect(received()).toEqual(['call.started', 'call.started', 'call.ended']);
});
