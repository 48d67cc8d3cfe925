import { randomUUID } from 'node:crypto';
import {
  deleteOldOutboxEvents,
  engineNow,
  erasePerson,
  inTransaction,
  measureState,
  rotateWebhookSecret,
  updateWebhookEndpoint,
} from '@outdial/db';
import { newSigningSecret } from '@outdial/webhooks';
import { expect, test, vi } from 'vitest';
import type { Behaviour } from './receiver.ts';
import { webhookWorld } from './world.ts';

const world = await webhookWorld();

test('sends an event with its headers, signed so that the standardwebhooks package verifies it', async () => {
  const { happened, deliver, receiver, organizationId, deliveries } = await world.endpoint();
  await happened({ type: 'call.ended', data: { outcome: 'completed' } });
  expect(await deliver()).toEqual({ delivered: 1, failed: 0, moreIsDue: false });
  expect(receiver.refused).toBe(0);
  expect(receiver.events).toMatchObject([
    { type: 'call.ended', organization_id: organizationId, sequence: 1, data: { outcome: 'completed' } },
  ]);
  expect(receiver.headers[0]).toMatchObject({
    'webhook-id': receiver.events[0]?.id,
    'content-type': 'application/json',
  });
  expect(await deliveries()).toMatchObject([{ status: 'delivered', attempts: 1, error: null }]);
});

test('sends only the types that the endpoint wants, and nothing while it is disabled', async () => {
  const { happened, deliver, receiver, endpointId } = await world.endpoint({ events: ['campaign.finished'] });
  await happened({ type: 'call.ended' }, { type: 'campaign.finished' });
  await world.db
    .updateTable('webhook_endpoints')
    .set({ enabled: false })
    .where('id', '=', endpointId)
    .execute();
  await happened({ type: 'campaign.finished' });
  await deliver();
  expect(receiver.events).toEqual([]);
  await world.db
    .updateTable('webhook_endpoints')
    .set({ enabled: true })
    .where('id', '=', endpointId)
    .execute();
  await deliver();
  expect(receiver.events.map((event) => event.type)).toEqual(['campaign.finished']);
});

test('numbers the events of a recipient one by one, and sends them in this order', async () => {
  const { happened, deliver, receiver } = await world.endpoint();
  const recipients = Array.from({ length: 20 }, () => randomUUID());
  const steps = ['call.started', 'call.answered', 'call.ended', 'recipient.finished', 'call.updated'];
  for (const type of steps) await happened(...recipients.map((subjectId) => ({ type, subjectId })));
  await deliver();
  for (const recipient of recipients) {
    const events = receiver.events.filter((event) => event.data['recipient_id'] === recipient);
    expect(events.map((event) => event.type)).toEqual(steps);
    expect(events.map((event) => event.sequence)).toEqual([1, 2, 3, 4, 5]);
  }
});

test('retries a failed delivery on schedule, and later ones of its subject wait while others continue', async () => {
  const { happened, deliver, receiver, deliveries } = await world.endpoint();
  const [first, second] = [randomUUID(), randomUUID()];
  receiver.behaviours = [500];
  await happened({ type: 'call.started', subjectId: first });
  await deliver();
  await happened({ type: 'call.ended', subjectId: first }, { type: 'call.started', subjectId: second });
  await deliver();
  const received = () => receiver.events.map((event) => [event.data['recipient_id'], event.type]);
  // The failed attempt arrived too, and was answered 500.
  expect(received()).toEqual([
    [first, 'call.started'],
    [second, 'call.started'],
  ]);
  expect((await deliveries())[0]).toMatchObject({
    status: 'pending',
    attempts: 1,
    error: 'the endpoint answered 500',
  });
  await world.advance(6);
  await deliver();
  expect(received().slice(2)).toEqual([
    [first, 'call.started'],
    [first, 'call.ended'],
  ]);
});

test('gives up after the ninth retry, and sends the events that waited', async () => {
  const { happened, deliver, receiver, deliveries } = await world.endpoint();
  const subjectId = randomUUID();
  receiver.behaviours = Array.from({ length: 10 }, () => 503);
  await happened({ type: 'call.started', subjectId }, { type: 'call.ended', subjectId });
  for (const seconds of [0, 5, 300, 1800, 7200, 18000, 36000, 50400, 72000]) {
    await world.advance(seconds);
    await deliver();
  }
  expect(await deliveries()).toMatchObject([
    { status: 'pending', attempts: 9 },
    { status: 'pending', attempts: 0 },
  ]);
  await world.advance(86_400);
  await deliver();
  expect(await deliveries()).toMatchObject([{ status: 'failed', attempts: 10 }, { status: 'delivered' }]);
});

test.each<[string, Behaviour, string]>([
  ['a redirect', 302, 'the endpoint answered 302'],
  [
    'a connection that breaks',
    (request) => void request.socket.destroy(),
    'the connection was closed before an answer came',
  ],
])('%s is a failure, and the event is sent again', async (_, behaviour, error) => {
  const { happened, deliver, receiver, deliveries } = await world.endpoint();
  receiver.behaviours = [behaviour];
  await happened({ type: 'call.ended' });
  await deliver();
  expect(await deliveries()).toMatchObject([{ status: 'pending', error }]);
  await world.advance(6);
  await deliver();
  expect(await deliveries()).toMatchObject([{ status: 'delivered', attempts: 2 }]);
});

test('waits as long as Retry-After requests', async () => {
  const { happened, deliver, receiver, deliveries } = await world.endpoint();
  receiver.behaviours = [
    (_request, response) => void response.writeHead(429, { 'retry-after': '120' }).end(),
  ];
  await happened({ type: 'call.ended' });
  await deliver();
  await world.advance(100);
  await deliver();
  expect(await deliveries()).toMatchObject([{ attempts: 1 }]);
  await world.advance(21);
  await deliver();
  expect(await deliveries()).toMatchObject([{ status: 'delivered', attempts: 2 }]);
});

test('410 disables the endpoint at once', async () => {
  const { happened, deliver, receiver, row } = await world.endpoint();
  receiver.behaviours = [410];
  await happened({ type: 'call.ended' });
  await deliver();
  expect(await row()).toMatchObject({ enabled: false, disabled_reason: 'gone' });
});

test('five days of failures disable the endpoint; one success forgets them', async () => {
  const { happened, deliver, receiver, row } = await world.endpoint();
  const day = 86_400;
  receiver.behaviours = [500];
  await happened({ type: 'call.ended' });
  await deliver();
  expect((await row()).failing_since).not.toBeNull();
  await world.advance(4 * day);
  await deliver();
  expect(await row()).toMatchObject({ enabled: true, failing_since: null });
  receiver.behaviours = [500, 500];
  await happened({ type: 'call.ended' });
  await deliver();
  await world.advance(5 * day);
  await deliver();
  expect(await row()).toMatchObject({ enabled: false, disabled_reason: 'failing' });
});

/** A receiver that answers only when `answer` is called. */
function slowAnswer(status = 200) {
  const { promise, resolve: answer } = Promise.withResolvers<void>();
  const behaviour: Behaviour = (_request, response) =>
    void promise.then(() => response.writeHead(status).end());
  return { behaviour, answer };
}

test('an answer of an address that the endpoint no longer has does not disable it', async () => {
  const { happened, deliver, receiver, row, deliveries, organizationId, endpointId } = await world.endpoint();
  const { behaviour, answer } = slowAnswer(410);
  receiver.behaviours = [behaviour];
  await happened({ type: 'call.ended' });
  const delivering = deliver();
  await vi.waitFor(() => expect(receiver.events).toHaveLength(1), 60_000);
  const address = { organizationId, endpointId };
  await inTransaction(world.db, (tx) => updateWebhookEndpoint(tx, address, { url: `${receiver.url}/moved` }));
  answer();
  await delivering;
  expect(await row()).toEqual({ enabled: true, disabled_reason: null, failing_since: null });
  await world.advance(6);
  await deliver();
  expect(await deliveries()).toMatchObject([{ status: 'delivered', attempts: 2 }]);
});

test('failures count from the last success, also of the same batch, and from the last change of the address', async () => {
  const { happened, deliver, receiver, row, organizationId, endpointId } = await world.endpoint();
  const failingSince = async (seconds: number) => {
    const since = new Date((await engineNow(world.db)).getTime() - seconds * 1_000);
    await world.db
      .updateTable('webhook_endpoints')
      .set({ failing_since: since })
      .where('id', '=', endpointId)
      .execute();
  };
  const sixDays = 6 * 86_400;
  await failingSince(sixDays);
  const { behaviour, answer } = slowAnswer(503);
  receiver.behaviours = [200, behaviour];
  await happened(
    { type: 'call.ended', subjectId: randomUUID() },
    { type: 'call.ended', subjectId: randomUUID() },
  );
  const delivering = deliver();
  await vi.waitFor(async () => expect((await row()).failing_since).toBeNull(), 60_000);
  answer();
  await delivering;
  expect(await row()).toMatchObject({ enabled: true, failing_since: expect.any(Date) as Date });

  await failingSince(sixDays);
  const change = (url: string) =>
    inTransaction(world.db, (tx) => updateWebhookEndpoint(tx, { organizationId, endpointId }, { url }));
  expect(await change(receiver.url)).toMatchObject({ failing_since: expect.any(Date) as Date });
  expect(await change(`${receiver.url}/moved`)).toMatchObject({ failing_since: null });
});

test("another worker sends a killed worker's deliveries within ten seconds", async () => {
  const { happened, deliver, receiver } = await world.endpoint();
  const { behaviour, answer } = slowAnswer();
  receiver.behaviours = [behaviour];
  await happened({ type: 'call.started' });
  const leaseSeconds = 10;
  // A dead worker does not renew leases.
  const killed = deliver({ leases: { leaseSeconds, renewEveryMs: 3_600_000 } });
  await vi.waitFor(() => expect(receiver.events).toHaveLength(1), 60_000);
  await deliver();
  expect(receiver.events).toHaveLength(1);
  await world.advance(leaseSeconds);
  await deliver();
  expect(receiver.events).toHaveLength(2);
  answer();
  await killed;
});

test('a worker that renews its lease keeps its deliveries', async () => {
  const { happened, deliver, leasedUntil, receiver } = await world.endpoint();
  const { behaviour, answer } = slowAnswer();
  receiver.behaviours = [behaviour];
  await happened({ type: 'call.started' });
  const alive = deliver({ leases: { leaseSeconds: 10, renewEveryMs: 20 } });
  await vi.waitFor(() => expect(receiver.events).toHaveLength(1), 60_000);
  const [firstLease] = await leasedUntil();
  for (let turn = 0; turn < 3; turn++) {
    const [before] = await leasedUntil();
    await world.advance(6);
    await vi.waitFor(async () => {
      const [now] = await leasedUntil();
      expect(Number(now) - Number(before)).toBeGreaterThan(5_000);
    }, 60_000);
  }
  expect(Number((await leasedUntil())[0]) - Number(firstLease)).toBeGreaterThan(15_000);
  await deliver();
  expect(receiver.events).toHaveLength(1);
  answer();
  expect(await alive).toMatchObject({ delivered: 1 });
});

test('during a rotation both secrets verify, and a day later only the new one', async () => {
  const { happened, deliver, receiver, endpointId, organizationId } = await world.endpoint();
  const fresh = newSigningSecret();
  await inTransaction(world.db, (tx) =>
    rotateWebhookSecret(tx, { organizationId, endpointId }, { secret: fresh, overlapHours: 24 }),
  );
  await happened({ type: 'call.ended' });
  await deliver();
  receiver.secret = fresh;
  await happened({ type: 'call.ended' });
  await deliver();
  expect([receiver.events.length, receiver.refused]).toEqual([2, 0]);
  await world.advance(86_401);
  await happened({ type: 'call.ended' });
  await deliver();
  expect(receiver.headers.at(-1)?.['webhook-signature']).not.toContain(' ');
  expect([receiver.events.length, receiver.refused]).toEqual([3, 0]);
});

test('a rotation after a lost one still signs with the secret that the receiver has', async () => {
  const { happened, deliver, receiver, endpointId, organizationId } = await world.endpoint();
  const known = receiver.secret;
  const rotate = async () => {
    const secret = newSigningSecret();
    await inTransaction(world.db, (tx) =>
      rotateWebhookSecret(tx, { organizationId, endpointId }, { secret, overlapHours: 24 }),
    );
    return secret;
  };
  for (const secret of [known, await rotate(), await rotate()]) {
    receiver.secret = secret;
    await happened({ type: 'call.ended' });
    await deliver();
  }
  expect([receiver.events.length, receiver.refused]).toEqual([3, 0]);
  // With no more than two earlier ones.
  await rotate();
  receiver.secret = known;
  await happened({ type: 'call.ended' });
  await deliver();
  expect(receiver.refused).toBe(1);
});

test('sends nothing of a batch before dialing leaves time for it', async () => {
  const { happened, deliver, receiver } = await world.endpoint();
  await happened({ type: 'call.started' }, { type: 'call.started' });
  const batches: Array<{ deliveries: number; sent: number }> = [];
  await deliver({
    giveWay: ({ deliveries }) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      setImmediate(() => {
        batches.push({ deliveries, sent: receiver.headers.length });
        resolve();
      });
      return promise;
    },
  });
  expect(batches).toEqual([{ deliveries: 2, sent: 0 }]);
  expect(receiver.headers).toHaveLength(2);
});

test('ends deliveries whose event is too old, and sends the events behind them', async () => {
  const { happened, deliver, deliveries, receiver } = await world.endpoint();
  const subjectId = randomUUID();
  receiver.behaviours = [500];
  await happened({ type: 'call.started', subjectId });
  await deliver();
  const inAMonth = new Date((await engineNow(world.db)).getTime() + 31 * 86_400_000);
  await deleteOldOutboxEvents(world.db, { now: inAMonth, limit: 10_000 });
  await happened({ type: 'call.ended', subjectId });
  await world.advance(6);
  expect(await deliver()).toEqual({ delivered: 1, failed: 0, moreIsDue: false });
  const gone = { status: 'failed', attempts: 1, error: 'the event was deleted', next_attempt_at: null };
  expect(await deliveries()).toMatchObject([gone, { status: 'delivered' }]);
});

test('sends an event of an erased person without the number', async () => {
  const { happened, deliver, receiver, organizationId } = await world.endpoint();
  const phoneNumber = '+15551230001';
  await happened({ type: 'suppression.added', data: { phone_number: phoneNumber, reason: 'Ada asked' } });
  const now = await engineNow(world.db);
  const person = { organizationId, phoneNumber, keepSuppressed: false, forgetsOptOut: false };
  await inTransaction(world.db, (tx) => erasePerson(tx, { ...person, requestedBy: null, now }));
  expect(await deliver()).toMatchObject({ delivered: 1 });
  expect(receiver.events).toMatchObject([{ type: 'suppression.added' }]);
  expect(receiver.events[0]?.data).toEqual({});
});

test('metrics tell how late the workers are, and for how long a receiver has failed', async () => {
  const { happened, deliver, receiver, endpointId } = await world.endpoint();
  // The metrics would include the endpoints of the other tests.
  await world.db
    .updateTable('webhook_endpoints')
    .set({ enabled: false })
    .where('id', '!=', endpointId)
    .execute();
  const late = async () => (await measureState(world.db)).webhooksOverdueSeconds;
  const failing = async () => (await measureState(world.db)).webhooksFailingSeconds;
  await happened({ type: 'call.ended' });
  await world.advance(90);
  expect(await late()).toBeGreaterThanOrEqual(90);
  receiver.behaviours.push(500);
  await deliver();
  // A delivery that waits for its retry is not late, and the failure of its receiver is known.
  expect(await late()).toBe(0);
  await world.advance(4);
  expect(await failing()).toBeGreaterThanOrEqual(4);
  await world.db.deleteFrom('webhook_endpoints').where('id', '=', endpointId).execute();
});
